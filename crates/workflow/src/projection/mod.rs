//! Projections: the state that the events of a session add up to.
//!
//! A [`SessionState`] takes events one by one, in order, and answers questions about runs: their graph and preferred
//! tip, outputs, gaps, preferences, capabilities, context, status. When a log grows by a plan, the cost is that of
//! the plan, not of the log. A [`RecapDraft`] tells an agent what happened in a run, and a [`RunSummary`] holds what
//! lists and searches need.
//!
//! *Invariants*: pure; the same events give the same answers, no matter what their timestamps are. The order is that
//! of the events and nothing else. Inherited values come from a node's own ancestry alone, so that branches do not
//! see each other.
//!
//! *Limitations*: the completion of a run is stored in the snapshot of its tip, not in events, so the caller supplies
//! it. Events are taken as valid; [`LogRules`](crate::event::LogRules) checks them.

mod advances;
mod decisions;
mod gaps;
mod graph;
mod inherited;
mod node_steps;
mod outputs;
mod produced;
mod recap;
mod resume;
mod run_shape;
mod run_state;
mod session_state;
mod summary;
mod workflow_stats;

pub use advances::{Advances, RecordedAttempt, Submission};
pub use decisions::{DecisionKind, PersonDecision, PersonName, RecordedDecision, branch_choice};
pub use gaps::{Gap, Gaps};
pub use graph::{RunGraph, RunNode};
pub use inherited::{Capabilities, CapabilityStanding, Contexts, PreferenceHistory};
pub use node_steps::{NodeStep, NodeSteps};
pub use outputs::{Outputs, RecordedOutput, SideRecord, SideRecordBody, SideRecords};
pub use produced::{ArtifactText, Produced, ProducedArtifact};
pub use recap::{Noted, RecapDraft, RecapPiece};
pub use resume::{Offer, OtherRuns, Ranking, ResumeQuery, WhyMatched, rank, rank_among};
pub use run_shape::{
    AttemptColumns, NodeColumns, NodeCount, NodeIndex, PersonWait, RunShape, SHAPE_VERSION,
    ShapeStep,
};
pub use run_state::{RunState, status};
pub use session_state::{LastObservation, SessionState};
pub use summary::{
    RunSummary, SUMMARY_VERSION, SeenValue, StepPlace, Surroundings, TipState, WorkflowOutline,
    headline,
};
pub use workflow_stats::{RefusalReason, StepStats, WorkflowStats, WorkflowTally};
