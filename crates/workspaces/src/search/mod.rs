//! Searching: selection of files, and of lines in them.
//!
//! Everything here is pure except for the readers that Stores pass in. Walking directories belongs to the Stores.

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
