//! Decides what happens next in a run, as a pure function over data.
//!
//! [`decide`] is the whole of it: it judges an output, and the run continues or stops.
//!
//! * [`judge()`] finds what is wrong with an output, as [`Finding`]s. Preferences have no influence on it.
//! * [`block`] decides whether a run stops for findings. That depends on its autonomy alone.
//! * [`flow`] finds the first step and the next one, through nested loops, and renders it.
//! * [`ratings`] reads the assessments of a step.
//!
//! *Invariants*: pure. The same workflow, state and decisions always lead to the same next state and the same trace.
//! A workflow must be sound, as every compiled or decoded one is. A state may come from elsewhere, and one that does
//! not fit the workflow is an error.

mod accept;
mod assess;
mod control;
mod decide;
mod decision_trace;
mod error;
mod extra_artifacts;
mod finding;
pub mod flow;
mod judge;
mod loop_iteration;
mod messages;
mod missing_context;
mod person;
mod render;
mod report;
mod scope;
mod step_position;

pub use assess::{RatedDimension, Rating, ratings};
pub use decide::{Decision, StepFacts, block, decide};
pub use error::EngineError;
pub use finding::{Finding, GapDraft};
pub use flow::Flow;
pub use judge::{KnownCapabilities, Submission, judge};
