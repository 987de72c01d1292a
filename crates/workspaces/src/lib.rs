//! The files that an agent may touch.
//!
//! A [Workspace] is a prefix in the file world of an agent, exactly one [Access Scope](AccessScope) and one Mount. An
//! operation takes three steps. The [router](Workspaces) finds the Workspace of a path by its longest prefix. Its scope
//! permits or refuses the operation. Only then is its [Store](store::Store) called. A path that no Workspace covers is
//! denied.
//!
//! *Invariants*: a set of Workspaces never changes once it is built. A Store is never called for an operation that the
//! scope forbids, and never to change something protected. No answer names a path of the machine. Nothing here can
//! start a program.

pub mod audit;
mod blocking;
pub mod bounds;
pub mod config;
mod error;
mod files;
pub mod landlock;
mod map;
pub mod mask;
pub mod overlay;
pub mod path;
pub mod physical;
mod protection;
mod scope;
pub mod search;
pub mod store;
pub mod tools;
pub mod virtual_store;
mod workspaces;

pub use audit::Actor;
pub use error::Error;
pub use files::{Files, ReplaceProblem, Replaced, replace};
pub use protection::{Protected, Protection, ReservedPath, protected_name};
pub use scope::{AccessScope, Right, Tool};
pub use workspaces::{Definition, LocatedPath, Quota, Workspace, Workspaces};
