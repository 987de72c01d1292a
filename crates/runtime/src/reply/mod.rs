//! Replies to callers.
//!
//! *Invariants*: every reply to an agent names its run and the next call to make. Anything that applies to a single
//! call stands beside the body, which repeats byte for byte. Nothing here quotes the context of a run.

mod agent;
mod artifact;
mod person;
mod text;
mod tree;

pub use agent::{
    CallNotices, CheckpointAnswer, FileProblem, InspectedWorkflow, ListedWorkflows,
    ResumeCandidate, ResumeCandidates, RunAnswer, Searched, ShadowedFile, UnloadedFile,
    WorkflowEntry, WorkflowWarning,
};
pub use artifact::{ArtifactPart, ArtifactShown, SessionArtifact};
pub use person::{
    AppliedPreferences, BlockShown, BookmarkShown, BrokenShown, CleanedUp, DecisionShown, Deleted,
    GapShown, ImportedSession, KeptSession, RunShown, SessionList, SessionShown, SetAsideList,
    SetAsideShown, SettledRun, Soundness, StepShown, SweptBlobs, TroubledSession,
};
pub use piton_workflow::UserOnlyDependency;
pub use piton_workflow::session::{CheckpointBody, Question, ReplyBody};
pub use tree::{RunTree, TreeNode};
