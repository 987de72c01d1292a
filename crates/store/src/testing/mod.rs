//! Test support for this and other crates: a simulated disk that can fail in any way a real one can, a recorder of disk
//! calls, a journal and a table that report the calls to them, a sample event, the contract suite of every port, second
//! processes, and the report of long tests.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

pub mod contract;
mod fault;
mod image;
mod long_run;
mod recorder;
mod sample;
mod sim_disk;
mod watched_journal;
mod watched_table;
pub mod worker;

pub use fault::{DiskFault, FaultKind};
pub use long_run::LongRun;
pub use recorder::{DiskCall, Listener, Recorder};
pub use sample::{Sample, sample_plan, sample_snapshot};
pub use sim_disk::SimDisk;
pub use watched_journal::WatchedJournal;
pub use watched_table::{TableCall, WatchedTable};
