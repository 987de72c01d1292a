//! Transfer of sessions: out of a data directory, into another one, and out of a damaged one.
//!
//! | file | does |
//! |---|---|
//! | `export` | makes a bundle of a session |
//! | `import` | makes a session of a bundle |
//! | `unfinished` | finds and removes the remains of an import that was cut off |
//! | `salvage` | saves the valid part of a damaged session for inspection |
//! | `gather` | reads the content that events refer to |
//! | `ports` | the effects that these need |
//! | `error` | reasons to fail |
//!
//! *Invariants*: every export can be imported. An import stores nothing before everything is checked, adds to no
//! existing session, and leaves a whole session or none.

mod error;
mod export;
mod gather;
mod import;
mod ports;
mod salvage;
mod unfinished;

pub use error::TransferError;
pub use export::export;
pub use import::{Imported, import};
pub use ports::TransferPorts;
pub use salvage::salvage;
pub use unfinished::remove_unfinished;
