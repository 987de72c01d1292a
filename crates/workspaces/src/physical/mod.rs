//! The Physical Store: the files of a directory of this machine.
//!
//! The Mount is opened once and held as a descriptor. Every path is opened beneath it by the kernel (`openat2` with
//! `RESOLVE_BENEATH`, `RESOLVE_NO_SYMLINKS` and `RESOLVE_NO_MAGICLINKS`) or, where that is missing, name by name
//! without following links. Changes are made by name inside a directory opened this way. Checks apply to the opened
//! descriptor, so nothing can be exchanged between the check and the use.
//!
//! | file | holds |
//! |---|---|
//! | `store` | the Store: its options, its answers, and which change is prepared how |
//! | `open` | the held directory of the Mount, opening paths beneath it, and errors of the operating system as faults |
//! | `links`, `case_folding` | links, resolved name by name; file systems that ignore the case of names |
//! | `read`, `list`, `search` | whole files, also from the kernel's cache; directories; the walk and the search |
//! | `write`, `permissions` | a new file beside the old one, in directories made for it; what a new file inherits |
//! | `rename`, `remove` | moves that replace nothing; removals that are whole or undone |
//! | `lock`, `quota` | one writer per directory, or per Mount under a quota; the count of what is there |
//!
//! *Invariants*: no path of the machine leaves this module. Nothing is opened that could block. A file is replaced,
//! never written in place, so a hard link to it elsewhere keeps the old content.
//!
//! *Limitations*: a hard link into the Mount is a file of the Mount, unless the Workspace refuses files with several
//! links. Programs that do not take the lock of the directory can change a file between the comparison of its version
//! and the rename that replaces it.

mod case_folding;
mod links;
mod list;
mod lock;
mod open;
mod permissions;
mod quota;
mod read;
mod remove;
mod rename;
mod search;
mod store;
mod write;

pub use store::{PhysicalOptions, PhysicalStore};
