//! Transfer of sessions: out of a data directory, into another one, and out of a damaged one.
//!
//! | file | does |
//! |---|---|
//! | `export` | makes a bundle of a session, or saves the valid part of a damaged one for inspection; reasons to fail |
//! | `import` | makes a session of a bundle, and removes the remains of an import that was cut off |
//!
//! *Invariants*: every export can be imported. An import stores nothing before everything is checked, adds to no
//! existing session, and leaves a whole session or none.

mod export;
mod import;

pub use export::{TransferError, export, salvage};
pub use import::{Imported, import, remove_unfinished};
