//! Maintenance: keeps a data directory small and sound.
//!
//! | file | does |
//! |---|---|
//! | `expire` | removes expired sessions, then the content that nothing refers to any more |
//! | `retention` | the number of days that sessions are kept, and the marks on those that are kept for good |
//! | `roots` | lists the blobs that sessions refer to |
//! | `verify` | checks a session, and repairs it on request |
//! | `ports` | the effects that these need |
//! | `error` | reasons to fail |
//!
//! *Invariants*: nothing is removed while the control records of any session cannot be read. Sessions are removed
//! first and their content afterwards, so that an interruption in between leaves too much and never too little.
//! Nothing is repaired unless that is requested.

mod error;
mod expire;
mod ports;
mod retention;
mod roots;
mod verify;

pub use error::MaintenanceError;
pub use expire::{Cleaned, Fate, SessionFate, clean};
pub use ports::MaintenancePorts;
pub use retention::{RetentionDays, RetentionDaysError, RetentionMark, control, set_control};
pub use roots::{artifact_roots, workflow_roots};
pub use verify::{BrokenContent, RepairReport, VerifyReport, repair, sharing, verify};
