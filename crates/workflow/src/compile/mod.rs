//! From a workflow file to what runs are pinned to.
//!
//! [`compile`] is a pipeline of pure passes: the text is parsed, read in its dialect, and lowered. Lowering
//! expands templates in place, applies features, fills in texts, embeds contracts and renders every prompt.
//! What comes out is a [`CompiledWorkflow`], whose digest is the workflow hash.
//!
//! *Invariants*: pure, so the same text gives the same bytes. What does not change what the workflow means
//! (spaces, the order of fields, features, conditions or definitions) does not change the hash; what an
//! agent reads, and what its output is checked against, does.
//!
//! Each dialect is lowered by a module of its own (`lower` for the strict one, `shipped`) to the same form; what
//! only one of them has is left out of the bytes where it is not used.

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
