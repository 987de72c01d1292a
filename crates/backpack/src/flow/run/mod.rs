//! Running flows.
//!
//! * [`Runner`]: runs and resumes flows, and accepts subscribers.
//! * [`RunReport`]: the outcome of a run.
//! * [`Cancel`]: cancels a run from outside.
//!
//! A run is one task: nodes run one after the other, and concurrent work (a parallel batch) takes turns in it. Dropping
//! the run therefore stops everything that it does.

mod abandon;
mod attempts;
mod batch_item;
mod cancel;
mod contract;
mod flow_run;
mod next_node;
mod node_visit;
mod progress;
mod record;
mod replay;
mod runner;

pub use cancel::Cancel;
pub use record::{Abandoned, RUNNER, RunRecord};
pub use replay::{before_node, before_pending_node, check_start};
pub use runner::{RunOptions, RunReport, Runner, RunnerPorts};
