//! Replies to callers. Calls about a run are answered with the replies of [`piton_workflow::session`].
//!
//! | file | contents |
//! |---|---|
//! | `workflows` | workflows, listed and inspected |
//! | `resume` | runs that could be resumed |
//! | `run_export` (feature `flow`) | a run as one document |
//! | `run_page` | runs that were found, with counts |
//! | `session` | sessions with their runs, step by step or as a graph; artifacts, as agents and people read them again; preferences |
//! | `sources` | workflow files: read, checked, compiled and saved |
//! | `maintenance` | results of keeping, deleting, checking, cleaning and importing sessions |
//!
//! *Invariants*: every reply to an agent names its run and the next call to make. Nothing here quotes the context of a
//! run.

mod inbox;
mod maintenance;
mod resume;
#[cfg(feature = "flow")]
mod run_export;
mod run_page;
mod run_shape;
mod session;
mod shown_list;
mod sources;
mod step_detail;
mod workflows;

pub use inbox::{GappedRun, Inbox, OverlayWaiting};
pub use maintenance::{
    CleanedUp, Deleted, ImportedSession, KeptSession, SetAsideList, SetAsideShown, Soundness,
    SweptBlobs,
};
pub use piton_workflow::UserOnlyDependency;
pub use piton_workflow::compile::{
    Drift, FieldDrift, PromptOrigin, PromptPiece, StepChange, StepDrift,
};
pub use piton_workflow::projection::{
    NodeStep, PersonWait, RefusalReason, RunShape, ShapeStep, StepStats, WorkflowStats,
};
pub use piton_workflow::session::{
    CheckpointBody, CheckpointReply, PreferredBranch, Question, Reply, ReplyBody, ReplyNotice,
    SettledStep,
};
pub use resume::{ResumeCandidate, ResumeCandidates, Searched};
#[cfg(feature = "flow")]
pub use run_export::{ExportOmission, ExportedStep, OmissionKind, RunExport};
pub use run_page::{CaughtUpRuns, FoundRun, RunPage, SearchResults};
pub use run_shape::{CountedRuns, EventPage, PinnedRun, RunDrift, ShapedRun};
pub use session::{
    AppliedPreferences, ArtifactPart, ArtifactShown, BlockShown, BookmarkShown, DecisionShown,
    GapShown, RunShown, RunTree, SessionArtifact, SessionList, SessionShown, StepShown, TreeNode,
    TroubledSession,
};
pub(crate) use shown_list::ReplyRoom;
pub use shown_list::ShownList;
pub use sources::{
    CompiledSource, HashInput, InputFile, LocatedProblem, SaveConflict, SaveOutcome, SavedSource,
    SourceCheck, SourceCompletions, SourceFile, StepFields,
};
pub use step_detail::{
    AttemptDetail, CapabilityDetail, ContextValue, DivergenceDetail, GapDetail, OutputDetail,
    PromptPart, StepDetail, StepTrace, StepWrites, TraceDetail,
};
pub use workflows::{InspectedWorkflow, ListedWorkflows, WorkflowEntry, WorkflowWarning};
