//! The Virtual Store: files in Piton's own data, or in memory.
//!
//! A directory is a row that holds an id; an entry is a row under its parent's id and its name. So listing
//! costs what the directory holds, and a directory moves by one row. The content of a file is in its
//! row if it is small, and a blob otherwise. What the ports are adapters of decides whether files outlive
//! the process.
//!
//! *Invariants*: every change is one commit of the table. A new or removed entry rewrites the row of its
//! directory, so that a directory cannot vanish under a write. Namespaces cannot meet: keys begin with a
//! digest over the lengths and bytes of their parts.
//!
//! *Limitations*: a recursive delete takes a bounded number of entries, because it is one commit.

mod check;
mod commit;
mod copy;
mod exchange;
mod keys;
mod lookup;
mod namespace;
mod pending;
mod roots;
mod row;
mod search;
mod staged;
mod store;
mod tree;
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
