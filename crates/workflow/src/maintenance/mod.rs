//! Maintenance: keeps a data directory small and sound.
//!
//! | file | does |
//! |---|---|
//! | `expire` | removes expired sessions, then the content that nothing refers to any more; lists the blobs that sessions refer to |
//! | `retention` | the number of days that sessions are kept, and the marks on those that are kept for good; reasons to fail |
//! | `verify` | checks a session, and repairs it on request |
//!
//! *Invariants*: nothing is removed while the control records of any session cannot be read. Sessions are removed
//! first and their content afterwards, so that an interruption in between leaves too much and never too little.
//! Nothing is repaired unless that is requested.

mod expire;
mod retention;
mod verify;

pub use expire::{Cleaned, Fate, SessionFate, artifact_roots, clean, workflow_roots};
pub use retention::{
    MaintenanceError, RetentionDays, RetentionDaysError, RetentionMark, control, set_control,
};
pub use verify::{BrokenContent, RepairReport, VerifyReport, repair, sharing, verify};
