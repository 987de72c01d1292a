//! The existing contracts.
//!
//! *Limitations*: the texts of an artifact are bounded one by one. The size of a whole artifact is limited by
//! its storage, not here.

use serde_json::{Value, json};

use super::definition::ContractDefinition;
use super::shape::{Field, Shape};
use crate::bounds::{
    CONTRACT_DIMENSIONS_MAX, CONTRACT_FINDINGS_MAX, CONTRACT_LINE_BYTES_MAX,
    CONTRACT_NAME_BYTES_MAX, CONTRACT_PARAGRAPH_BYTES_MAX, CONTRACT_PATH_BYTES_MAX,
    CONTRACT_PAYLOAD_BYTES_MAX, CONTRACT_PERCENT_MAX, CONTRACT_SUMMARY_BYTES_MAX, ITERATION_MAX,
};
use crate::capability::{Capability, FailureCode, ProbeResult};
use crate::event::DivergenceReason;
use crate::source::ContractRef;

piton_core::closed_set! {
    /// A contract that a step may ask for.
    pub enum BuiltinContract {
        /// A rating along dimensions.
        Assessment => "wr.contracts.assessment",
        /// The result of using a capability.
        CapabilityObservation => "wr.contracts.capability_observation",
        /// What a coder leaves for who comes next.
        CodingHandoff => "wr.contracts.coding_handoff",
        /// News for whoever coordinates several runs.
        CoordinatorSignal => "wr.contracts.coordinator_signal",
        /// What sets an idea apart, for who shapes it.
        DifferentiationHandoff => "wr.contracts.differentiation_handoff",
        /// The direction that was found, for who shapes it.
        DiscoveryHandoff => "wr.contracts.discovery_handoff",
        /// The way of the workflow was left on purpose.
        Divergence => "wr.contracts.divergence",
        /// Whether a gate opens.
        GateVerdict => "wr.contracts.gate_verdict",
        /// Whether a loop turns once more.
        LoopControl => "wr.contracts.loop_control",
        /// What a review came to.
        ReviewVerdict => "wr.contracts.review_verdict",
        /// The shape that was chosen, for who builds it.
        ShapingHandoff => "wr.contracts.shaping_handoff",
    }
}

impl BuiltinContract {
    /// Returns the reference that workflows use for the contract.
    pub fn contract_ref(self) -> ContractRef {
        self.as_str().parse().expect("the names of the packs are contract references")
    }

    /// True if `contract_ref` names this contract.
    pub fn is(self, contract_ref: &ContractRef) -> bool {
        contract_ref.as_str() == self.as_str()
    }

    /// True if an artifact claims to be of this contract's kind.
    pub fn describes(self, artifact: &Value) -> bool {
        // The kind is the name of the contract without the `contracts` segment: `wr.contracts.divergence` is
        // about `wr.divergence`.
        let kind = artifact.get("kind").and_then(Value::as_str);
        kind.and_then(|kind| kind.strip_prefix("wr."))
            .is_some_and(|kind| self.as_str().strip_prefix("wr.contracts.") == Some(kind))
    }

    /// Returns the contract as data.
    pub fn definition(self) -> ContractDefinition {
        let (fields, example) = match self {
            Self::Assessment => assessment(),
            Self::CapabilityObservation => capability_observation(),
            Self::CodingHandoff => coding_handoff(),
            Self::CoordinatorSignal => coordinator_signal(),
            Self::DifferentiationHandoff => differentiation_handoff(),
            Self::DiscoveryHandoff => discovery_handoff(),
            Self::Divergence => divergence(),
            Self::GateVerdict => gate_verdict(),
            Self::LoopControl => loop_control(),
            Self::ReviewVerdict => review_verdict(),
            Self::ShapingHandoff => (shaping_fields(), shaping_example("wr.shaping_handoff")),
        };
        let kind = self.as_str().replace(".contracts", "");
        ContractDefinition::new(self.contract_ref(), &kind, fields, example)
    }
}

fn confidence() -> Shape {
    Shape::one_of(&["high", "medium", "low"])
}

fn version() -> Field {
    Field::required("version", Shape::Exactly { value: 1 })
}

fn loop_control() -> (Vec<Field>, Value) {
    let turns = Shape::Integer { min: 0, max: ITERATION_MAX };
    let metadata = Shape::object(vec![
        Field::optional("reason", Shape::text(CONTRACT_PARAGRAPH_BYTES_MAX)),
        Field::optional("issuesFound", turns.clone()),
        Field::optional("iterationIndex", turns),
        Field::optional("confidence", Shape::Integer { min: 0, max: CONTRACT_PERCENT_MAX }),
    ]);
    let fields = vec![
        Field::required("loopId", Shape::Id),
        Field::required("decision", Shape::one_of(&["continue", "stop"])),
        Field::optional("summary", Shape::text(CONTRACT_SUMMARY_BYTES_MAX)),
        Field::optional("metadata", metadata),
    ];
    let example = json!({
        "kind": "wr.loop_control",
        "loopId": "review_rounds",
        "decision": "stop",
        "summary": "Why the loop goes on or ends.",
    });
    (fields, example)
}

fn capability_observation() -> (Vec<Field>, Value) {
    let failed = ProbeResult::Failure.as_str();
    let fields = vec![
        Field::required("capability", Shape::one_of(Capability::NAMES)),
        Field::required("result", Shape::one_of(ProbeResult::NAMES)),
        Field::when("failureCode", "result", failed, Shape::one_of(FailureCode::NAMES)),
        Field::optional("summary", Shape::text(CONTRACT_SUMMARY_BYTES_MAX)),
    ];
    let example = json!({
        "kind": "wr.capability_observation",
        "capability": "web_browsing",
        "result": "failure",
        "failureCode": "tool_missing",
    });
    (fields, example)
}

fn divergence() -> (Vec<Field>, Value) {
    let fields = vec![
        Field::required("reason", Shape::one_of(DivergenceReason::NAMES)),
        Field::required("summary", Shape::text(CONTRACT_SUMMARY_BYTES_MAX)),
        Field::optional("relatedStepId", Shape::Id),
    ];
    let example = json!({
        "kind": "wr.divergence",
        "reason": "efficiency_skip",
        "summary": "The module has no callers, so there was nothing to migrate.",
    });
    (fields, example)
}

fn assessment() -> (Vec<Field>, Value) {
    let level = Shape::text(CONTRACT_LINE_BYTES_MAX);
    let reasoned = Shape::object(vec![
        Field::required("level", level.clone()),
        Field::optional("rationale", Shape::text(CONTRACT_SUMMARY_BYTES_MAX)),
    ]);
    let rating = Shape::AnyOf { shapes: vec![level, reasoned] };
    let fields = vec![
        Field::optional("assessmentId", Shape::Id),
        Field::required(
            "dimensions",
            Shape::Map { values: Box::new(rating), max_entries: CONTRACT_DIMENSIONS_MAX },
        ),
        Field::optional("summary", Shape::text(CONTRACT_PARAGRAPH_BYTES_MAX)),
    ];
    let example = json!({
        "kind": "wr.assessment",
        "assessmentId": "readiness",
        "dimensions": {
            "scope": "clear",
            "risk": { "level": "low", "rationale": "One module, no format changes." },
        },
        "summary": "Ready to build.",
    });
    (fields, example)
}

fn coordinator_signal() -> (Vec<Field>, Value) {
    let kinds = ["progress", "finding", "data_needed", "approval_needed", "blocked"];
    let fields = vec![
        Field::required("signalKind", Shape::one_of(&kinds)),
        Field::required("payload", Shape::AnyObject { max_bytes: CONTRACT_PAYLOAD_BYTES_MAX }),
        Field::optional("sessionId", Shape::text(CONTRACT_LINE_BYTES_MAX)),
    ];
    let example = json!({
        "kind": "wr.coordinator_signal",
        "signalKind": "progress",
        "payload": { "done": 3, "left": 2 },
    });
    (fields, example)
}

fn review_verdict() -> (Vec<Field>, Value) {
    let categories =
        ["correctness", "security", "architecture", "ux", "performance", "testing", "style"];
    let finding = Shape::open_object(vec![
        Field::required("severity", Shape::one_of(&["critical", "major", "minor", "nit"])),
        Field::required("summary", Shape::text(CONTRACT_PARAGRAPH_BYTES_MAX)),
        Field::optional("findingCategory", Shape::one_of(&categories)),
    ]);
    let fields = vec![
        Field::required("verdict", Shape::one_of(&["clean", "minor", "blocking"])),
        Field::required("confidence", confidence()),
        Field::required("findings", Shape::list(finding, CONTRACT_FINDINGS_MAX)),
        Field::required("summary", Shape::text(CONTRACT_PARAGRAPH_BYTES_MAX)),
    ];
    let example = json!({
        "kind": "wr.review_verdict",
        "verdict": "minor",
        "confidence": "high",
        "findings": [{
            "severity": "minor",
            "summary": "The error of `load` does not name the file.",
            "findingCategory": "ux",
        }],
        "summary": "Correct; one message could say more.",
    });
    (fields, example)
}

fn gate_verdict() -> (Vec<Field>, Value) {
    let fields = vec![
        version(),
        Field::required("verdict", Shape::one_of(&["approved", "rejected", "uncertain"])),
        Field::required("confidence", confidence()),
        Field::required(
            "rationale",
            Shape::Text { min_chars: 20, max_bytes: CONTRACT_PARAGRAPH_BYTES_MAX },
        ),
    ];
    let example = json!({
        "kind": "wr.gate_verdict",
        "version": 1,
        "verdict": "approved",
        "confidence": "medium",
        "rationale": "Every acceptance test passes and the plan was followed.",
    });
    (fields, example)
}

fn discovery_handoff() -> (Vec<Field>, Value) {
    let tiers = ["strong_recommendation", "provisional_recommendation", "insufficient_signal"];
    let fields = vec![
        version(),
        Field::required("selectedDirection", Shape::text(CONTRACT_PARAGRAPH_BYTES_MAX)),
        Field::required("designDocPath", Shape::text(CONTRACT_PATH_BYTES_MAX)),
        Field::required("confidenceBand", confidence()),
        Field::required("keyInvariants", Shape::texts(12, CONTRACT_LINE_BYTES_MAX)),
        Field::optional("rejectedDirections", Shape::texts(5, CONTRACT_LINE_BYTES_MAX)),
        Field::optional("implementationConstraints", Shape::texts(8, CONTRACT_LINE_BYTES_MAX)),
        Field::optional("keyCodebaseLocations", Shape::texts(10, CONTRACT_PATH_BYTES_MAX)),
        Field::optional("selectionTier", Shape::one_of(&tiers)),
    ];
    let example = json!({
        "kind": "wr.discovery_handoff",
        "version": 1,
        "selectedDirection": "Keep one log per session and derive every view from it.",
        "designDocPath": "docs/design/sessions.md",
        "confidenceBand": "high",
        "keyInvariants": ["The log is only appended to."],
        "selectionTier": "strong_recommendation",
    });
    (fields, example)
}

fn shaping_fields() -> Vec<Field> {
    vec![
        version(),
        Field::required("pitchPath", Shape::text(CONTRACT_PATH_BYTES_MAX)),
        Field::required("selectedShape", Shape::text(CONTRACT_LINE_BYTES_MAX)),
        Field::required("appetite", Shape::text(CONTRACT_NAME_BYTES_MAX)),
        Field::required("keyConstraints", Shape::texts(8, CONTRACT_LINE_BYTES_MAX)),
        Field::required("rabbitHoles", Shape::texts(6, CONTRACT_LINE_BYTES_MAX)),
        Field::required("outOfScope", Shape::texts(6, CONTRACT_LINE_BYTES_MAX)),
        Field::required("validationChecklist", Shape::texts(10, CONTRACT_LINE_BYTES_MAX)),
    ]
}

fn shaping_example(kind: &str) -> Value {
    json!({
        "kind": kind,
        "version": 1,
        "pitchPath": "docs/pitches/search.md",
        "selectedShape": "Search over titles, with an index that is rebuilt on change.",
        "appetite": "two weeks",
        "keyConstraints": ["No new service."],
        "rabbitHoles": ["Ranking by relevance."],
        "outOfScope": ["Search in attachments."],
        "validationChecklist": ["A title is found within 100 ms."],
    })
}

fn coding_handoff() -> (Vec<Field>, Value) {
    let correction = Shape::object(vec![
        Field::required("assumed", Shape::text(CONTRACT_LINE_BYTES_MAX)),
        Field::required("actual", Shape::text(CONTRACT_LINE_BYTES_MAX)),
    ]);
    let fields = vec![
        version(),
        Field::optional("branchName", Shape::text(CONTRACT_LINE_BYTES_MAX)),
        Field::required("keyDecisions", Shape::texts(8, CONTRACT_LINE_BYTES_MAX)),
        Field::required("knownLimitations", Shape::texts(6, CONTRACT_LINE_BYTES_MAX)),
        Field::required("testsAdded", Shape::texts(10, CONTRACT_LINE_BYTES_MAX)),
        Field::required("filesChanged", Shape::texts(20, CONTRACT_PATH_BYTES_MAX)),
        Field::optional("correctedAssumptions", Shape::list(correction, 6)),
    ];
    let example = json!({
        "kind": "wr.coding_handoff",
        "version": 1,
        "branchName": "search-titles",
        "keyDecisions": ["The index is a sorted list."],
        "knownLimitations": [],
        "testsAdded": ["a_title_is_found_by_its_prefix"],
        "filesChanged": ["src/search.rs"],
        "correctedAssumptions": [{ "assumed": "Titles are unique.", "actual": "They are not." }],
    });
    (fields, example)
}

fn differentiation_handoff() -> (Vec<Field>, Value) {
    let mut shaping = shaping_example("");
    // Inside another artifact the handoff is a plain object, without a kind of its own.
    shaping.as_object_mut().expect("the example is an object").remove("kind");
    let fields = vec![
        Field::required("schemaVersion", Shape::one_of(&["1.0.0"])),
        Field::required("generatedAt", Shape::text(CONTRACT_LINE_BYTES_MAX)),
        Field::required("evidenceFreshness", Shape::text(CONTRACT_LINE_BYTES_MAX)),
        Field::required("validationChecklist", Shape::texts(10, CONTRACT_LINE_BYTES_MAX)),
        Field::required("shapingHandoff", Shape::object(shaping_fields())),
    ];
    let example = json!({
        "kind": "wr.differentiation_handoff",
        "schemaVersion": "1.0.0",
        "generatedAt": "2026-01-31",
        "evidenceFreshness": "All sources were read this week.",
        "validationChecklist": ["Three users confirm the difference."],
        "shapingHandoff": shaping,
    });
    (fields, example)
}
