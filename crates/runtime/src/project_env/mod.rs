//! The environment of a call: the project directory and its git state.
//!
//! | file | contents |
//! |---|---|
//! | `project` | the directory that a call is about |
//! | `git` | git's files, read without git |
//! | `checkout` | parsing of those files, and the observations recorded from them; pure |
//!
//! *Invariants*: anything that cannot be read is left out; no call fails because of it.

mod checkout;
mod git;
mod project;

pub use checkout::{Checkout, observations};
pub use git::checkout;
pub use project::{ProjectDir, project_dir};
