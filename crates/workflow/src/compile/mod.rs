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
mod feature;
pub mod function;
mod lint;
mod lower;
mod prompt;
mod recommendation;
mod soundness;
mod template;
mod warning;
mod workflow;

pub use catalog::{Catalog, Reference};
pub use feature::Feature;
pub use function::{FunctionDefinition, FunctionKey, FunctionName, FunctionScope};
pub use prompt::{CompiledBlocks, CompiledItem, CompiledPart};
pub use recommendation::PreferenceWarning;
pub use template::Template;
pub use warning::{CompiledWarning, WarningCode};
pub use workflow::{
    Addition, CapabilityNeed, CompiledCondition, CompiledFeature, CompiledLoop, CompiledStep,
    CompiledWorkflow, CompiledWorkflowError, Entry, OutputContract, Probe, Provenance,
    ProvenanceSource, SCHEMA_VERSION, Setting,
};

use crate::source::{Origin, Problem, Problems, parse, strict};

/// Compiles the workflow file `text` from `origin`, or reports everything that is wrong with it.
///
/// ```
/// use piton_workflow::SourceKind;
/// use piton_workflow::compile::{Catalog, compile};
/// use piton_workflow::source::Origin;
///
/// let text = r#"{
///     "id": "project.greet",
///     "steps": [{"id": "greet", "title": "Greet", "prompt": "Say hello."}]
/// }"#;
/// let origin = Origin::new(SourceKind::Project, "workflows");
/// let workflow = compile(text, &origin, &Catalog::standard()).unwrap();
/// assert_eq!(workflow.steps[0].prompt, "Say hello.");
///
/// let problems = compile("{}", &origin, &Catalog::standard()).unwrap_err();
/// assert_eq!(problems.len(), 2);
/// ```
pub fn compile(
    text: &str,
    origin: &Origin,
    catalog: &Catalog,
) -> Result<CompiledWorkflow, Vec<Problem>> {
    let mut problems = Problems::default();
    let compiled = parse(text, &mut problems)
        .and_then(|value| strict::Workflow::read(&value, origin, &mut problems))
        .and_then(|workflow| lower::lower(workflow, catalog, &mut problems));
    match compiled {
        Some(compiled) if problems.is_empty() => Ok(compiled),
        _ => Err(problems.into_sorted()),
    }
}
