//! The passes in their order: parse, detect the dialect, read, lower.

use serde_json::Value;

use super::definitions::Definitions;
use super::workflow::CompiledWorkflow;
use crate::source::{
    Dialect, Problems, SourceOrigin, SourceProblem, classic, detect, parse, strict,
};

/// Compiles the workflow file `text` from `origin`, or reports everything that is wrong with it.
///
/// ```
/// use piton_workflow::SourceKind;
/// use piton_workflow::compile::{Definitions, compile};
/// use piton_workflow::source::SourceOrigin;
///
/// let text = r#"{
///     "id": "project.greet",
///     "steps": [{"id": "greet", "title": "Greet", "prompt": "Say hello."}]
/// }"#;
/// let origin = SourceOrigin::new(SourceKind::Project, "workflows");
/// let workflow = compile(text, &origin, &Definitions::standard()).unwrap();
/// assert_eq!(workflow.steps[0].prompt, "Say hello.");
///
/// let problems = compile("{}", &origin, &Definitions::standard()).unwrap_err();
/// assert_eq!(problems.len(), 2);
/// ```
pub fn compile(
    text: &str,
    origin: &SourceOrigin,
    definitions: &Definitions,
) -> Result<CompiledWorkflow, Vec<SourceProblem>> {
    let mut problems = Problems::default();
    let compiled = parse(text, &mut problems)
        .and_then(|value| Some((detect(&value, &mut problems)?, value)))
        .and_then(|(dialect, value)| read(dialect, &value, origin, definitions, &mut problems));
    match compiled {
        // A pass returns as much as it could read, so that later ones find more problems. A result counts
        // only without any.
        Some(compiled) if problems.is_empty() => Ok(compiled),
        _ => Err(problems.into_sorted()),
    }
}

/// Reads and lowers a file in its dialect.
fn read(
    dialect: Dialect,
    value: &Value,
    origin: &SourceOrigin,
    definitions: &Definitions,
    problems: &mut Problems,
) -> Option<CompiledWorkflow> {
    match dialect {
        Dialect::Strict => {
            let workflow = strict::StrictWorkflow::read(value, origin, problems)?;
            super::strict::lower(workflow, definitions, problems)
        }
        Dialect::Classic => {
            let bound = classic::bind(value, problems);
            let workflow = classic::ClassicWorkflow::read(&bound, origin, problems)?;
            super::classic::lower(&workflow, definitions, problems)
        }
    }
}
