//! Upkeep: what keeps a data directory small and sound.
//!
//! | file | does |
//! |---|---|
//! | `expire` | removes sessions that are past their time, then what nothing refers to any more |
//! | `retention` | says for how long sessions are kept |
//! | `retention_mark` | lets a person keep a session for good |
//! | `roots` | says which blobs sessions refer to |
//! | `report` | what a cleaning did |
//! | `verify` | checks a session, and repairs it on request |
//! | `ports` | the effects that these need |
//! | `error` | what can go wrong |
//!
//! *Invariants*: nothing is removed while any session's control records cannot be read. Sessions go first, and
//! what they referred to goes after, so that a cut in between leaves too much and never too little. Nothing is
//! repaired unless it is asked for.

mod error;
mod expire;
mod ports;
mod report;
mod retention;
mod retention_mark;
mod roots;
mod verify;

pub use error::MaintenanceError;
pub use expire::clean;
pub use ports::MaintenancePorts;
pub use report::{Cleaned, Fate, SessionFate};
pub use retention::{RetentionDays, RetentionDaysError};
pub use retention_mark::{RetentionMark, control, set_control};
pub use roots::{EventRoots, session_owners};
pub use verify::{BrokenContent, RepairReport, VerifyReport, repair, sharing, verify};
