//! Running flows.
//!
//! * [`Runner`]: runs and resumes flows, and accepts subscribers.
//! * [`RunReport`]: the outcome of a run.
//! * [`Cancel`]: cancels a run from outside.
//!
//! | file | holds |
//! |---|---|
//! | `runner` | starting, resuming and replaying a run, and its report |
//! | `flow_run` | the state of a run, and of each flow in it |
//! | `next_node` | the walk from node to node: it chooses the next node by the edge that an action takes |
//! | `node_visit` | one visit of a node: prepare, execute, post; the passes of a batch |
//! | `attempts` | repeated attempts of one execution, and panics in it |
//! | `contract` | the contract of a node's output, and the mappings of an edge |
//! | `batch_item` | results of a batch that are kept while it runs, and its concurrency |
//! | `progress`, `record`, `abandon` | what is recorded of a run, and what a resumed run takes back |
//! | `replay` | the state before a node, to run again from there |
//!
//! A run is one task: nodes run one after the other, and concurrent work (a parallel batch) takes turns in it. Dropping
//! the run therefore stops everything that it does.

mod abandon;
mod attempts;
mod batch_item;
mod contract;
mod flow_run;
mod next_node;
mod node_visit;
mod progress;
mod record;
mod replay;
mod runner;

pub use record::{Abandoned, RUNNER, RunRecord};
pub use replay::{before_node, before_pending_node, check_start};
pub use runner::{Cancel, RunOptions, RunReport, Runner, RunnerPorts};
