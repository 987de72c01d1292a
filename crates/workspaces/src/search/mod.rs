//! Searching: which files a query selects, and which lines in them.
//!
//! Pure but for the readers that Stores hand in. Walking belongs to the Stores.

mod content;
mod ignores;
mod query;
mod result;
mod selection;

pub use content::{ContentMatcher, ContentOptions};
pub use ignores::{IGNORE_FILE, Ignores};
pub use query::{Cancel, Depth, Search};
pub use result::{FoundFile, FoundLine, SearchResult, Skipped};
pub use selection::Selection;
pub(crate) use selection::glob_length;
