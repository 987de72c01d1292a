//! Workflow files: what is read and what is refused.

mod builtin_id;
pub(crate) mod changed;
mod problems;
mod schema;
mod workflow_id;

use piton_workflow::SourceKind;
use piton_workflow::compile::{CompiledWorkflow, Definitions, compile};
use piton_workflow::source::{SourceOrigin, SourceProblem};
use serde_json::{Value, json};

/// A file from the project directory.
pub(crate) fn origin() -> SourceOrigin {
    SourceOrigin::new(SourceKind::Project, "workflows")
}

pub(crate) fn compile_value(source: &Value) -> Result<CompiledWorkflow, Vec<SourceProblem>> {
    compile(&source.to_string(), &origin(), &Definitions::standard())
}

/// A workflow with most of what the dialect has.
pub(crate) fn rich() -> Value {
    json!({
        "id": "project.review",
        "name": "Review",
        "description": "Reviews a change until nothing new is found.",
        "agentRole": "You are a careful reviewer.",
        "recommendedPreferences": {
            "recommendedAutonomy": "guided",
            "recommendedRiskPolicy": "balanced",
        },
        "capabilities": {"web_browsing": "required", "delegation": "preferred"},
        "features": [
            {"featureId": "wr.features.notes_discipline", "config": {"linesMin": 5}},
            "wr.features.closing_review",
        ],
        "functionDefinitions": [{"name": "challenge", "definition": "Argue against the result."}],
        "conditions": [
            {"conditionId": "again", "kind": "loop_control", "loopId": "rounds"},
        ],
        "steps": [
            {
                "id": "plan",
                "title": "Plan",
                "promptBlocks": {
                    "goal": "Plan the review.",
                    "constraints": [
                        [{"kind": "text", "text": "Remember: "}, {"kind": "ref", "refId": "wr.refs.notes_first"}],
                    ],
                    "procedure": ["Read the change.", "List what to look at."],
                    "outputRequired": {"plan": "a list of places"},
                    "verify": ["Every file is on the list."],
                },
                "validationCriteria": {"and": [
                    {"type": "regex", "pattern": "\\d+ files", "message": "Say how many files."},
                    {"type": "contains", "value": "risk"},
                    {"type": "length", "min": 100},
                ]},
                "functionReferences": ["challenge()"],
                "requireConfirmation": true,
            },
            {
                "type": "loop",
                "loopId": "rounds",
                "title": "Rounds",
                "maxIterations": 3,
                "while": {"kind": "condition_ref", "conditionId": "again"},
                "body": [
                    {"id": "look", "title": "Look", "prompt": "Look at one place."},
                    {
                        "id": "decide",
                        "title": "Decide",
                        "prompt": "Decide whether to look again.",
                        "outputContract": {"contractRef": "wr.contracts.loop_control"},
                    },
                ],
            },
            {
                "type": "template_call",
                "id": "helpers",
                "templateId": "wr.templates.capability_probe",
                "args": {"capability": "delegation"},
            },
        ],
    })
}
