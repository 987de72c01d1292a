//! Carrying sessions: out of a data directory, into another one, and out of a damaged one.
//!
//! | file | does |
//! |---|---|
//! | `export` | makes a bundle of a session |
//! | `import` | makes a session of a bundle |
//! | `unfinished` | finds and removes what an import that was cut off left behind |
//! | `salvage` | saves what is valid of a damaged session, to be looked at |
//! | `gather` | reads what events refer to |
//! | `ports` | the effects that these need |
//! | `error` | what can go wrong |
//!
//! *Invariants*: what is exported can be imported. An import stores nothing before everything is checked, adds
//! to no session that exists, and leaves a whole session or none.

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
