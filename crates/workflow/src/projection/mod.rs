//! Projections: what the events of a session add up to.
//!
//! A [`SessionState`] takes events one by one, in order, and answers questions about runs: their
//! graph and preferred tip, outputs, gaps, preferences, capabilities, context, status. A log that
//! grew by a plan costs the plan, not the log. A [`RecapDraft`] tells an agent what happened in a run, and a
//! [`RunSummary`] is what lists and searches need of it.
//!
//! *Invariants*: pure; the same events give the same answers, whatever their timestamps. Order is
//! the order of events and nothing else. Everything that is inherited comes from a node's own
//! ancestry, so that branches do not see each other.
//!
//! *Limitations*: whether a run is complete stands in the snapshot of its tip, not in events, so
//! that is told by the caller. Events are taken as valid; [`LogRules`](crate::event::LogRules) are
//! what checks them.

mod advances;
mod capabilities;
mod contexts;
mod decisions;
mod gaps;
mod graph;
mod headline;
mod inherited;
mod outputs;
mod preferences;
mod recap;
mod resume;
mod run_state;
mod session_state;
mod side_records;
mod status;
mod summary;

pub use advances::{Advances, RecordedAttempt, Submission};
pub use capabilities::{Capabilities, CapabilityStanding};
pub use contexts::Contexts;
pub use decisions::{DecisionKind, PersonDecision, RecordedDecision};
pub use gaps::{Gap, Gaps};
pub use graph::{RunGraph, RunNode};
pub use headline::headline;
pub use outputs::{Outputs, RecordedOutput};
pub use preferences::PreferenceHistory;
pub use recap::{ArtifactText, Noted, Produced, ProducedArtifact, RecapDraft, RecapPiece};
pub use resume::{Ranking, Resumable, ResumeCandidate, ResumeQuery, WhyMatched, rank};
pub use run_state::RunState;
pub use session_state::{LastObservation, SessionState};
pub use side_records::{SideRecord, SideRecordBody, SideRecords};
pub use status::status;
pub use summary::{
    RunSummary, SUMMARY_VERSION, SeenValue, StepPlace, Surroundings, TipState, WorkflowOutline,
};
