//! Searching: which files a query selects, and which lines in them.
//!
//! Pure but for the readers that Stores hand in. Walking belongs to the Stores.

mod content;
mod found;
mod ignores;
mod query;
mod selection;

pub use content::{ContentMatcher, ContentOptions};
pub use found::{FoundFile, FoundLine, SearchResult, Skipped};
pub use ignores::{IGNORE_FILE, Ignores};
pub use query::{Cancel, Depth, Search};
pub use selection::Selection;
pub(crate) use selection::glob_length;
