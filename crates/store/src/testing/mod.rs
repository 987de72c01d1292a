//! Test support for this and other crates: a simulated disk that can fail in any way a real one can, a recorder of disk
//! calls, a journal and a table that report the calls to them, a sample event, the contract suite of every port, second
//! processes, and the report of long tests.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

pub mod contract;
mod long_run;
mod recorder;
mod sample;
mod sim_disk;
mod watched;
pub mod worker;

pub use long_run::LongRun;
pub use recorder::{DiskCall, Listener, Recorder};
pub use sample::{Sample, sample_plan, sample_snapshot};
pub use sim_disk::{DiskFault, FaultKind, SimDisk};
pub use watched::{TableCall, WatchedJournal, WatchedTable};
