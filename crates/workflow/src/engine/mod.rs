//! What happens next in a run, as a pure function over data.
//!
//! * [`flow`]: which step comes first and which comes next, through loops inside of loops.
//! * [`control`]: what decision steps said about their loops.
//!
//! *Invariants*: pure. The same workflow, state and decisions always lead to the same next state and the same
//! trace. A workflow must be sound, as everything is that was compiled or read; a state may come from
//! elsewhere, and one that does not fit the workflow is an error.
//!
//! *Limitations*: the strict dialect only.

pub mod control;
mod error;
pub mod flow;
mod place;
mod trail;

pub use control::{Controls, LoopControl, LoopDecision};
pub use error::EngineError;
pub use flow::Flow;
