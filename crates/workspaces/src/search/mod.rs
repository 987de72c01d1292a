//! Searching: selection of files, and of lines in them.
//!
//! Everything here is pure except for the readers that Stores pass in. Walking directories belongs to the Stores.

mod content;
mod query;
mod selection;

pub use content::{ContentMatcher, ContentOptions};
pub use query::{Cancel, Depth, FoundFile, FoundLine, Search, SearchResult, Skipped};
pub(crate) use selection::glob_length;
pub use selection::{IGNORE_FILE, Ignores, Selection};
