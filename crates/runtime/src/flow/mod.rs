//! Flows: check them, draw them, run them, resume them after a crash, and replay them from a node.
//!
//! *Invariants*: a run is kept in its own journaled backpack together with the description of its flow, so the id of
//! that backpack is all it takes to resume the run.

mod flows;
mod replay;
mod request;

pub use flows::{FlowPorts, Flows};
pub use piton_backpack::flow::bounds::{CONFIG_BYTES_MAX, STEPS_DEFAULT};
pub use piton_backpack::flow::{Cancel, RunOptions, RunStatus, Tool, Tools};
pub use request::{
    FlowChecked, FlowNotice, FlowRan, FlowReplayed, Initial, NodeParam, ReplayFlow, ResumeFlow,
    RunFlow,
};
