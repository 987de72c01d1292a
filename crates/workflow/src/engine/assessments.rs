//! Checks the assessments of a step, reads their ratings, and applies the consequences.
//!
//! *Invariants*: a level counts if it is one of its dimension, regardless of case; a different spelling is noted. An
//! assessment is identified by its id. If a step asks for only one, the id may be left out.

use serde_json::{Map, Value, json};

use super::finding::{self, Finding};
use super::next_step::EngineError;
use super::position::StepPosition;
use crate::compile::{Assessment, CompiledStep, CompiledWorkflow, Consequence, Dimension};
use crate::contract::BuiltinContract;
use crate::name::{AssessmentId, DimensionId};
use crate::snapshot::ExecutionState;

/// The ratings in an assessment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rating {
    pub assessment_id: AssessmentId,
    /// Ratings in the author's order.
    pub dimensions: Vec<RatedDimension>,
}

/// The rating of one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatedDimension {
    pub dimension_id: DimensionId,
    /// Its level, as the author spells it.
    pub level: String,
    /// Its level as the agent spelled it, if that differs.
    pub given: Option<String>,
    pub rationale: Option<String>,
}

/// Returns the valid assessments of the step that is pending in `state`.
pub fn ratings(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    artifacts: &[Value],
) -> Result<Vec<Rating>, EngineError> {
    Ok(Assessed::new(workflow, StepPosition::of(workflow, state)?.step, artifacts).ratings)
}

/// Finds what is wrong with the assessments of `step`, or else what follows from them.
pub(super) fn check(
    workflow: &CompiledWorkflow,
    step: &CompiledStep,
    artifacts: &[Value],
) -> Option<Finding> {
    let assessed = Assessed::new(workflow, step, artifacts);
    // Consequences follow from complete assessments only.
    if !assessed.wrong.is_empty() {
        let examples: Vec<_> = expected_dimensions(workflow, step).map(example).collect();
        return Some(finding::assessments(step, assessed.missing_only, &assessed.wrong, &examples));
    }
    let (mut rated, mut guidance) = (Vec::new(), Vec::new());
    for consequence in &step.consequences {
        let hit: Vec<_> =
            assessed.ratings.iter().flat_map(|rating| hits(rating, consequence)).collect();
        if !hit.is_empty() {
            rated.extend(hit);
            guidance.push(consequence.guidance.clone());
        }
    }
    (!rated.is_empty()).then(|| finding::followup(step, &rated, &guidance))
}

/// Describes the dimensions of `rating` that are at the level of `consequence`.
fn hits(rating: &Rating, consequence: &Consequence) -> Vec<String> {
    let about = consequence.for_assessment.as_ref().is_none_or(|id| *id == rating.assessment_id);
    let plain = |level: &str| level.trim().to_lowercase();
    let level = plain(&consequence.any_equals_level);
    let hit = |rated: &&RatedDimension| about && plain(&rated.level) == level;
    let words = |rated: &RatedDimension| {
        format!("`{}` of `{}` is `{}`", rated.dimension_id, rating.assessment_id, rated.level)
    };
    rating.dimensions.iter().filter(hit).map(words).collect()
}

/// Returns the assessments that a step asks for.
fn expected_dimensions<'a>(
    workflow: &'a CompiledWorkflow,
    step: &'a CompiledStep,
) -> impl Iterator<Item = &'a Assessment> {
    let refs = step.assessment_refs.iter();
    refs.map(|id| workflow.assessment(id).expect("a sound workflow has its assessments"))
}

/// Returns the form of an artifact, with every level that it may contain.
fn example(assessment: &Assessment) -> String {
    let level = |dimension: &Dimension| {
        (dimension.id.as_str().to_owned(), Value::String(dimension.levels.join(" | ")))
    };
    let dimensions: Map<_, _> = assessment.dimensions.iter().map(level).collect();
    json!({"kind": "wr.assessment", "assessmentId": assessment.id, "dimensions": dimensions})
        .to_string()
}

#[derive(Default)]
struct Assessed {
    ratings: Vec<Rating>,
    wrong: Vec<String>,
    /// Set when nothing is wrong except that assessments are missing.
    missing_only: bool,
}

impl Assessed {
    fn new(workflow: &CompiledWorkflow, step: &CompiledStep, artifacts: &[Value]) -> Self {
        let mut assessed = Self { missing_only: true, ..Self::default() };
        let only = step.assessment_refs.len() == 1;
        for assessment in expected_dimensions(workflow, step) {
            let id = &assessment.id;
            match artifacts.iter().find(|artifact| is_about(artifact, id, only)) {
                None => assessed.wrong.push(format!("the assessment `{id}` is not there")),
                Some(artifact) => assessed.add(workflow, assessment, artifact),
            }
        }
        assessed
    }

    fn add(&mut self, workflow: &CompiledWorkflow, assessment: &Assessment, artifact: &Value) {
        let id = &assessment.id;
        let contract = workflow.contract(&BuiltinContract::Assessment.contract_ref());
        let violations = contract.map(|contract| contract.violations(artifact)).unwrap_or_default();
        let mut wrong: Vec<_> =
            violations.iter().map(|violation| format!("`{id}`: {violation}")).collect();
        // The dimensions are read only from an artifact of the right form.
        let rating = if wrong.is_empty() { rate(assessment, artifact, &mut wrong) } else { None };
        self.ratings.extend(rating);
        self.missing_only &= wrong.is_empty();
        self.wrong.extend(wrong);
    }
}

fn is_about(artifact: &Value, id: &AssessmentId, only: bool) -> bool {
    BuiltinContract::Assessment.describes(artifact)
        && match artifact.get("assessmentId") {
            None => only,
            Some(named) => named.as_str() == Some(id.as_str()),
        }
}

/// Reads the ratings of `assessment` from `artifact`, which keeps its contract.
fn rate(assessment: &Assessment, artifact: &Value, wrong: &mut Vec<String>) -> Option<Rating> {
    let Assessment { id, dimensions, .. } = assessment;
    let given = artifact.get("dimensions").and_then(Value::as_object)?;
    let mut rated = Vec::new();
    for dimension in dimensions {
        let (name, levels) = (&dimension.id, dimension.levels.join(" | "));
        let Some(value) = given.get(name.as_str()) else {
            if dimension.required {
                wrong.push(format!("`{id}`: `{name}` is not rated, and must be {levels}"));
            }
            continue;
        };
        let text = value.as_str().or_else(|| value.get("level")?.as_str()).unwrap_or_default();
        let Some(level) = dimension.level(text) else {
            wrong.push(format!("`{id}`: `{name}` is \"{text}\", and must be {levels}"));
            continue;
        };
        let rationale = value.get("rationale").and_then(Value::as_str).map(str::to_owned);
        rated.push(RatedDimension {
            dimension_id: name.clone(),
            level: level.to_owned(),
            given: (text != level).then(|| text.to_owned()),
            rationale,
        });
    }
    for name in given.keys() {
        if dimensions.iter().all(|dimension| dimension.id.as_str() != name) {
            wrong.push(format!("`{id}`: there is no dimension `{name}`"));
        }
    }
    wrong.is_empty().then(|| Rating { assessment_id: id.clone(), dimensions: rated })
}
