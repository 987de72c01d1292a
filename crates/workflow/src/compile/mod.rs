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
//! | file | holds |
//! |---|---|
//! | `pipeline` | [`compile`]: the passes in their order |
//! | `workflow`, `step`, `sequence`, `access` | the compiled form, as plain data |
//! | `draft`, `task` | what both dialects share: the workflow while it is built, and the lowering of one step |
//! | `strict`, `classic` | the lowering of each dialect: features, templates, loops, routines, derived steps |
//! | `prompt`, `prompt_pieces` | prompts, section by section; the origins of their parts |
//! | `drift` | the differences between two compilations of a workflow |
//! | [`function`] | functions: what a workflow declares and what its steps refer to |
//! | `definitions` | the contracts, texts and routines that workflows use by name |
//! | `lint`, `warning` | weaknesses that are worth a warning, and the warnings |
//!
//! Fields that only one dialect has are left out of the bytes where they are not used.

mod access;
mod classic;
mod definitions;
mod draft;
mod drift;
pub mod function;
mod lint;
mod pipeline;
mod prompt;
mod prompt_pieces;
mod sequence;
mod step;
mod strict;
mod task;
mod warning;
mod workflow;

pub use access::{ContextRole, FileScope, StateAccess, StepAccess, WorkspaceAccess};
pub use definitions::{Definitions, Reference};
pub use drift::{Drift, FieldDrift, StepChange, StepDrift};
pub use function::{FunctionDefinition, FunctionKey, FunctionName, FunctionScope};
pub use pipeline::compile;
pub(crate) use prompt::META_GUIDANCE;
pub use prompt::{CompiledBlocks, CompiledItem, CompiledPart};
pub use prompt_pieces::{PromptOrigin, PromptPiece};
pub use sequence::{CompiledCondition, CompiledLoop, Count, LoopVariables, SequenceEntry};
pub use step::{
    Addition, Assessment, CompiledStep, Confirmation, ConfirmationKind, Consequence, Dimension,
    Fragment, OutputContract, Probe, ProvenanceSource, StepProvenance, UserNeed,
};
pub use strict::{Feature, StepTemplate};
pub use warning::{CompiledWarning, PreferenceWarning, WarningCode};
pub use workflow::{
    CapabilityNeed, CompiledFeature, CompiledWorkflow, CompiledWorkflowError, Metadata, ModelTier,
    SCHEMA_VERSION, Setting,
};
