//! Checking everything that is stored of a project, and repairing it.
//!
//! Every row is read once and hashed again; what rows say of each other is compared in the end. Memory grows with the
//! number of nodes and frames, not with contents.

mod damage;
mod flaw;
mod frames;
mod repair;
mod trees;

pub use damage::{Damage, DamageKind, Validation};
pub use repair::{ContextRepaired, SetAside, set_aside_of_all};
