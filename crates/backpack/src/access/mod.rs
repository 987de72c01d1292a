//! What a node may do, and does.
//!
//! * [`Permissions`](permissions::Permissions): what a node may do, decided by pure functions.
//! * [`Scope`](scope::Scope): the handle of a node, and its reads. `writing`: its writes.

pub(crate) mod permissions;
pub(crate) mod scope;
pub(crate) mod writing;
