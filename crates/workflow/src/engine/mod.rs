//! Decides what happens next in a run, as a pure function over data.
//!
//! [`decide`] is the whole of it: it validates an output, and the run continues or stops.
//!
//! | file | holds |
//! |---|---|
//! | `decide` | [`decide`]: blocked or advanced; [`block`]: whether a run stops for findings, by its autonomy alone |
//! | `validate` | [`validate`]: everything that is wrong with an output, regardless of preferences |
//! | `artifacts` | the artifacts of an output against contracts; decisions about loops, results of probes |
//! | `assessments` | the assessments of a step, their [`ratings`] and consequences |
//! | `finding` | a [`Finding`] and its texts for the agent, as a blocker or a gap |
//! | [`next_step`] | the first step of a run and the next one, through nested loops; the reasons to find none |
//! | `loops` | whether a loop begins, and whether it has another turn |
//! | `position` | where a run is in its workflow, and the variables that are known there |
//! | `render` | the pending step as an agent reads it |
//! | `trace` | the engine's explanation of its choices |
//!
//! *Invariants*: pure. The same workflow, state and decisions always lead to the same next state and the same trace.
//! A workflow must be sound, as every compiled or decoded one is. A state may come from elsewhere, and one that does
//! not fit the workflow is an error.

mod artifacts;
mod assessments;
mod decide;
mod finding;
mod loops;
pub mod next_step;
mod position;
mod render;
mod trace;
mod validate;

pub use assessments::{RatedDimension, Rating, ratings};
pub use decide::{Decision, RefusalVerdict, Refusals, StepFacts, block, decide};
pub use finding::{Finding, REFUSED_TOO_OFTEN};
pub use next_step::{EngineError, NextStep};
pub use validate::{KnownCapabilities, Submission, validate};
