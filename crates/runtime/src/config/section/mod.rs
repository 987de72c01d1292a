//! Sections that are more than settings: lists and tables, each parsed as a whole into its own type.
//!
//! A setting is a single value, and the strongest source wins. A section configures a part of Piton: the files that
//! agents may touch, the providers of models. The section of the user's file and that of the project's file are passed
//! to the part side by side, and the part decides how they combine.
//!
//! To add one: a variant of [`SectionKey`] with its facts, a type in a file here that implements [`Section`], and a
//! row for it in `table`.
//!
//! *Invariants*: an unknown field is a problem, never ignored. A file is refused when it is loaded, not when its
//! section is first used. No section holds a secret.

mod context;
mod models;
mod state;
mod table;
mod workspaces;

pub use context::{AgentEntry, ContextSection};
pub use models::{ModelsSection, ProviderEntry};
pub use state::{StateSection, backpack_of};
pub use table::{FoundSection, Section, SectionKey, Wrong};
pub(super) use table::{places, take};
pub use workspaces::WorkspacesSection;
