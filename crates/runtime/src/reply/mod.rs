//! Replies to callers. Calls about a run are answered with the replies of [`piton_workflow::session`].
//!
//! | file | contents |
//! |---|---|
//! | `workflows` | workflows, listed and inspected |
//! | `resume` | runs that could be resumed |
//! | `session` | sessions with their runs, step by step or as a graph; artifacts, as agents and people read them again; preferences |
//! | `sources` | workflow files: read, checked, compiled and saved |
//! | `maintenance` | results of keeping, deleting, checking, cleaning and importing sessions |
//!
//! *Invariants*: every reply to an agent names its run and the next call to make. Nothing here quotes the context of a
//! run.

mod maintenance;
mod resume;
mod session;
mod sources;
mod workflows;

pub use maintenance::{
    CleanedUp, Deleted, ImportedSession, KeptSession, SetAsideList, SetAsideShown, Soundness,
    SweptBlobs,
};
pub use piton_workflow::UserOnlyDependency;
pub use piton_workflow::session::{
    CheckpointBody, CheckpointReply, Question, Reply, ReplyBody, ReplyNotice, SettledStep,
};
pub use resume::{ResumeCandidate, ResumeCandidates, Searched};
pub use session::{
    AppliedPreferences, ArtifactPart, ArtifactShown, BlockShown, BookmarkShown, DecisionShown,
    GapShown, RunShown, RunTree, SessionArtifact, SessionList, SessionShown, StepShown, TreeNode,
    TroubledSession,
};
pub use sources::{
    CompiledSource, HashInput, InputFile, LocatedProblem, SaveConflict, SaveOutcome, SavedSource,
    SourceCheck, SourceCompletions, SourceFile,
};
pub use workflows::{InspectedWorkflow, ListedWorkflows, WorkflowEntry, WorkflowWarning};
