//! Sections that are more than settings: lists and tables, each read whole into a type of its own.
//!
//! A setting is one value that the strongest place wins. A section is what a part of Piton is told: which files
//! agents may touch, who answers for models. What the user's file says and what the project's file says are handed to
//! the part side by side, and the part says how they join.
//!
//! To add one: a variant of [`SectionKey`] with its facts, a type in a file here that implements [`Section`], and a
//! line for it in `key`.
//!
//! *Invariants*: a field that is not known is a problem, never ignored. A file is refused when it is loaded, not when
//! its section is first asked for. No section holds a secret.

mod context;
mod found;
mod key;
mod models;
mod read;
mod state;
mod workspaces;

pub use context::{AgentEntry, ContextSection};
pub use found::{FoundSection, Section, Wrong};
pub use key::SectionKey;
pub use models::{ModelsSection, ProviderEntry};
pub(super) use read::take;
pub use state::{StateSection, backpack_of};
pub use workspaces::WorkspacesSection;
