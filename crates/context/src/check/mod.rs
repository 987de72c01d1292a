//! Checks everything that is stored for a project, and repairs it.
//!
//! | file | contents |
//! |---|---|
//! | `damage` | kinds of damage, damaged rows, and the check of everything |
//! | `trees` | the check of recorded trees and their nodes |
//! | `frames` | the check of frames, and of everything that is derived from them |
//! | `repair` | the repair of trees and frames |
//!
//! Every row is read once and hashed again; relations between rows are compared at the end. Memory grows with the
//! number of nodes and frames, not with their contents.

mod damage;
mod frames;
mod repair;
mod trees;

pub use damage::{Damage, DamageKind, Validation};
pub use repair::{ContextRepaired, SetAside, set_aside_of_all};
