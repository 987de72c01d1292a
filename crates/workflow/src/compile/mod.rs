//! Compiles a workflow file to the form that runs are pinned to.
//!
//! [`compile`] is a pipeline of pure passes: the text is parsed, read in its dialect, and lowered. Lowering
//! expands templates in place, applies features, fills in texts, embeds contracts and renders every prompt.
//! The result is a [`CompiledWorkflow`], and its digest is the workflow hash.
//!
//! *Invariants*: pure, so the same text gives the same bytes. Differences that do not change the meaning of
//! the workflow (spaces, the order of fields, features, conditions or definitions) do not change the hash;
//! differences in what an agent reads, or in what its output is checked against, do.
//!
//! Each dialect is lowered by a module of its own (`lower` for the strict one, `shipped`) to the same form.
//! Fields that only one of them has are left out of the bytes where they are not used.

mod access;
mod assessment;
mod confirmation;
mod declared;
mod definitions;
mod delegation;
mod feature;
mod fragment;
pub mod function;
mod lint;
mod loop_check;
mod lower;
mod metadata;
mod pipeline;
mod prompt;
mod recommendation;
mod sequence;
mod shipped;
mod template;
mod user_need;
mod warning;
mod workflow;

pub use access::{ContextRole, FileScope, StateAccess, StepAccess, WorkspaceAccess};
pub use assessment::{Assessment, Consequence, Dimension};
pub use confirmation::{Confirmation, ConfirmationKind};
pub use definitions::{Definitions, Reference};
pub use feature::Feature;
pub use fragment::Fragment;
pub use function::{FunctionDefinition, FunctionKey, FunctionName, FunctionScope};
pub use metadata::{Metadata, ModelTier};
pub use pipeline::compile;
pub use prompt::{CompiledBlocks, CompiledItem, CompiledPart};
pub use recommendation::PreferenceWarning;
pub use sequence::{CompiledCondition, CompiledLoop, Count, LoopVariables, SequenceEntry};
pub use template::Template;
pub use user_need::UserNeed;
pub use warning::{CompiledWarning, WarningCode};
pub use workflow::{
    Addition, CapabilityNeed, CompiledFeature, CompiledStep, CompiledWorkflow,
    CompiledWorkflowError, OutputContract, Probe, ProvenanceSource, SCHEMA_VERSION, Setting,
    StepProvenance,
};
