//! What happens next in a run, as a pure function over data.
//!
//! [`decide`] is the whole of it: an output is judged, and the run goes on or stops.
//!
//! * [`judge()`]: what is wrong with an output, as [`Finding`]s. Preferences have no say in it.
//! * [`block`]: whether a run stops for findings. That depends on its autonomy and on nothing else.
//! * [`flow`]: which step comes first and which comes next, through loops inside of loops, and how it is shown.
//! * [`ratings`]: what the assessments of a step say.
//!
//! *Invariants*: pure. The same workflow, state and decisions always lead to the same next state and the same
//! trace. A workflow must be sound, as everything is that was compiled or read; a state may come from
//! elsewhere, and one that does not fit the workflow is an error.

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
