//! Flows for whoever calls: check them, draw them, run them, and go on after a crash.
//!
//! *Invariants*: a run is kept in a journaled backpack of its own, whose id is all that it takes to resume it.

mod models;
mod reply;
mod request;
mod use_cases;

pub use models::{ModelSettings, parse};
pub use reply::{FlowChecked, FlowRan};
pub use request::{Heard, ResumeFlow, RunFlow};
pub use use_cases::{FlowPorts, Flows};
