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
//! *Limitations*: one dialect, see [`source`](crate::source).

mod catalog;
mod delegation;
mod feature;
pub mod function;
mod lint;
mod lower;
mod pipeline;
mod prompt;
mod recommendation;
mod soundness;
mod template;
mod warning;
mod workflow;

pub use catalog::{Catalog, Reference};
pub use feature::Feature;
pub use function::{FunctionDefinition, FunctionKey, FunctionName, FunctionScope};
pub use pipeline::compile;
pub use prompt::{CompiledBlocks, CompiledItem, CompiledPart};
pub use recommendation::PreferenceWarning;
pub use template::Template;
pub use warning::{CompiledWarning, WarningCode};
pub use workflow::{
    Addition, CapabilityNeed, CompiledCondition, CompiledFeature, CompiledLoop, CompiledStep,
    CompiledWorkflow, CompiledWorkflowError, Entry, OutputContract, Probe, Provenance,
    ProvenanceSource, SCHEMA_VERSION, Setting,
};
