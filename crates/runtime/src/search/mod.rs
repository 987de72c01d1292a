//! Search by words over everything that agents leave: runs, backpacks, frames, files and workflows.
//!
//! | file | holds |
//! |---|---|
//! | `found` | what was found, by kind |
//! | `thing_index` | the documents of one kind in the index: which are missing, written and removed |
//! | `catch_up` | what each kind is made of, and how a change of it is noticed |
//! | `find` | the search |
//!
//! Runs have a collection of their own, which `run_page` and `resume_session` read too. Every other kind is a collection
//! whose sources are a backpack, a tree node with frames, the log of some Workspaces, or the workflows of a project.
//!
//! *Invariants*: everything here is derived, and made again when it is lost. A kind is brought up to date before it is
//! searched, so what was removed is not found. Of a backpack only its name, keys and tags are indexed, and no value.
//! What belongs to another project is not found.
//!
//! *Limitations*: only so many sources are read for one search. The rest is counted, and read by the next one.

mod catch_up;
mod find;
mod found;
mod thing_index;

pub use piton_store::index::Excerpt;

pub(crate) use catch_up::forget_backpack;
pub use found::{Findings, FoundGroup, FoundKind, FoundThing, ThingName};
