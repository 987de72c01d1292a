//! Upkeep: what keeps a data directory small and sound.
//!
//! | file | does |
//! |---|---|
//! | `clean` | removes sessions that are past their time, then what nothing refers to any more |
//! | `retention` | says for how long sessions are kept |
//! | `control` | lets a person keep a session for good |
//! | `roots` | says which blobs sessions refer to |
//! | `report` | what a cleaning did |
//! | `soundness` | checks a session, and repairs it on request |
//! | `ports` | the effects that these need |
//! | `error` | what can go wrong |
//!
//! *Invariants*: nothing is removed while any session's control records cannot be read. Sessions go first, and
//! what they referred to goes after, so that a cut in between leaves too much and never too little. Nothing is
//! repaired unless it is asked for.

mod clean;
mod control;
mod error;
mod ports;
mod report;
mod retention;
mod roots;
mod soundness;

pub use clean::clean;
pub use control::{RetentionMark, control, set_control};
pub use error::MaintenanceError;
pub use ports::MaintenancePorts;
pub use report::{Cleaned, Fate, SessionFate};
pub use retention::{RetentionDays, RetentionDaysError};
pub use roots::{EventRoots, session_owners};
pub use soundness::{BrokenContent, RepairReport, VerifyReport, repair, sharing, verify};
