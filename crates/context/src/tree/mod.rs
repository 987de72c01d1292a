//! The tree of a project directory: its parts and how they are hashed. Pure.
//!
//! A tree is built bottom up from scanned entries, and every part of it has an id: the digest of its content and path.
//! Two trees are equal where their ids are, so comparing them costs only as much as they differ.
//!
//! *Invariants*: an id depends on relative paths, contents, targets of symlinks and the executable bit, and on nothing
//! else. The same tree in another place has the same ids.

mod compare;
mod directory;
mod id;
mod moves;
mod path;
mod stamp;

pub use compare::{ChangeKind, TreeChange, TreeSide, pair_renames};
pub use directory::{Directory, Symlink, Totals, TreeEntry, TreeFile, TreeNode};
pub(crate) use id::Preimage;
pub use id::{NodeKind, TreeNodeId, directory_id, file_id, symlink_id};
pub use moves::{Move, Moves, UnclearMove};
pub(crate) use path::extend;
pub use path::{Name, PathError, TreePath};
pub use stamp::{FileStamp, Time};
