//! Paths, as agents write them and as Stores receive them.
//!
//! *Invariants*: a path is parsed once. The text that was checked is the text that is used: nothing is decoded,
//! trimmed, unquoted or normalised, except that empty names and `.` are dropped.

mod logical;
mod mount;
mod name;

pub use logical::LogicalPath;
pub use mount::MountPath;
pub use name::{PathProblem, check_name};
pub(crate) use name::{is_temp_name, kept_name, temp_name};
