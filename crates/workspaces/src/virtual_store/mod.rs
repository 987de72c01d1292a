//! The Virtual Store: files in Piton's own data, or in memory.
//!
//! A directory is a row that holds an id; an entry is a row under its parent's id and its name. So listing a directory
//! costs as much as it holds, and moving one changes a single row. The content of a small file is in its row; larger
//! content is a blob. The adapters behind the ports decide whether files outlive the process.
//!
//! *Invariants*: every change is one commit of the table. Adding or removing an entry rewrites the row of its
//! directory, so a directory cannot vanish under a write. Namespaces cannot collide: keys begin with a digest over the
//! lengths and bytes of their parts.
//!
//! *Limitations*: a recursive delete is limited to a number of entries, because it is one commit.

mod check;
mod copy;
mod exchange;
mod lookup;
mod namespace;
mod pending;
mod roots;
mod row;
mod search;
mod staged;
mod store;
mod usage;

pub(crate) use check::has_taken_out;
pub use check::{VirtualChecked, VirtualRepaired, check_virtual, kept_virtual, repair_virtual};
pub(crate) use exchange::SeenRow;
pub use namespace::{NamespaceProblem, VirtualNamespace};
pub(crate) use pending::PendingCommit;
pub use roots::VirtualRoots;
pub(crate) use row::{DirectoryRow, Landing};
pub(crate) use staged::Staged;
pub use store::{VirtualPorts, VirtualStore};
