//! The audit trail of files: a record for every change, durable before the change happens.
//!
//! A record begins as an intent, which names the digests before and after. When the change has happened or failed, the
//! outcome is added. A process that dies in between leaves the intent open. The next process that opens the records
//! compares the file with both digests and settles it.
//!
//! *Invariants*: a change that happened has a record. A record is never taken back. A file that changed without a
//! record is reported as changed outside Piton.

mod blame;
mod keys;
mod ledger;
mod ledgers;
mod log;
mod record;
mod recover;
mod trace;

pub use blame::FileBlame;
pub(crate) use keys::START;
pub(crate) use ledger::damaged_record;
pub use ledger::{Begun, Ledger};
pub use ledgers::Ledgers;
pub use log::{LogCursor, LogPage, LogQuery, NoLogCursor};
pub use record::{
    Actor, AuditIntent, AuditOutcome, AuditRecord, CopyOrigin, FlatRecord, OverlaySource,
};
