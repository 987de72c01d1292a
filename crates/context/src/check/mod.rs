//! Checks everything that is stored for a project, and repairs it.
//!
//! Every row is read once and hashed again; relations between rows are compared at the end. Memory grows with the
//! number of nodes and frames, not with their contents.

mod damage;
mod flaw;
mod frames;
mod repair;
mod trees;

pub use damage::{Damage, DamageKind, Validation};
pub use repair::{ContextRepaired, SetAside, set_aside_of_all};
