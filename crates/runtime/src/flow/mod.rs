//! Flows for whoever calls: check them, draw them, run them, go on after a crash, and run them again from a node.
//!
//! *Invariants*: a run is kept in a journaled backpack of its own with the description of its flow, so the id of that is
//! all that it takes to resume it.

mod kept;
mod replay;
mod reply;
mod request;
mod use_cases;

pub use reply::{FlowChecked, FlowRan, FlowReplayed};
pub use request::{FlowNotice, Initial, NodeParam, ReplayFlow, ResumeFlow, RunFlow};
pub use use_cases::{FlowPorts, Flows};
