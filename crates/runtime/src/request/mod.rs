//! Requests from callers.
//!
//! The comments on the fields are the descriptions that agents read in the schemas of the tools.

mod agent;
mod person;

pub use agent::{
    CheckpointWorkflow, ContinueWorkflow, GetArtifact, InspectMode, InspectWorkflow, ListWorkflows,
    ResumeSession, StartWorkflow, StepOutput,
};
pub use person::{
    ExportSession, PersonReply, Prefer, PreferenceScope, SessionReference, SettleRun,
};
