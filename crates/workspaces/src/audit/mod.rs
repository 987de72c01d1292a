//! Who changed which file: a record for every change, durable before the change happens.
//!
//! A record begins as an intention, which names the digests before and after. When the change has
//! happened, or failed, the outcome is added. A process that dies in between leaves the intention open;
//! whoever opens the records next compares the file with both digests and settles it.
//!
//! *Invariants*: a change that happened has a record. A record is never taken back. What changed a file
//! without a record is told as changed outside Piton.

mod blame;
mod keys;
mod ledger;
mod ledgers;
mod left_content;
mod record;
mod recover;
mod trace;

pub use blame::FileBlame;
pub(crate) use keys::START;
pub(crate) use ledger::damaged_record;
pub use ledger::{Begun, Ledger};
pub use ledgers::Ledgers;
pub use record::{AuditIntent, AuditOutcome, AuditRecord, CopyOrigin, OverlaySource};
