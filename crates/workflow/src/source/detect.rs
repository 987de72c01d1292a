//! Detects the dialect of a file from its shape.
//!
//! *Invariants*: fields and forms that the other dialect does not have identify a dialect. A file without any
//! is strict; a file with those of both is refused, because each reader would misread the other's half.

use serde_json::{Map, Value};

use super::dialect::Dialect;
use super::pointer::Pointer;
use super::problem::{ProblemCode, Problems};

/// Top-level fields that only the strict dialect has.
const STRICT_TOP: [&str; 3] = ["agentRole", "capabilities", "conditions"];

/// Top-level fields that only the shipped dialect has.
const SHIPPED_TOP: [&str; 12] = [
    "about",
    "assessments",
    "clarificationPrompts",
    "examples",
    "extensionPoints",
    "metaGuidance",
    "metricsProfile",
    "modelTier",
    "preconditions",
    "references",
    "validatedAgainstSpecVersion",
    "version",
];

/// Fields of a step that only the strict dialect has.
const STRICT_STEP: [&str; 5] = ["args", "loopId", "needsUser", "templateId", "while"];

/// Fields of a step that only the shipped dialect has.
const SHIPPED_STEP: [&str; 15] = [
    "askForFiles",
    "assessmentConsequences",
    "assessmentRefs",
    "audit",
    "functionCalls",
    "guidance",
    "hasValidation",
    "loop",
    "modelTier",
    "parallelDelegations",
    "promptFragments",
    "runCondition",
    "synthesis",
    "templateCall",
    "verification",
];

/// A sign of a dialect: its position and its description.
struct Mark {
    at: Pointer,
    what: String,
}

/// The first mark of each dialect.
#[derive(Default)]
struct Marks {
    strict: Option<Mark>,
    shipped: Option<Mark>,
}

impl Marks {
    fn add(&mut self, dialect: Dialect, at: Pointer, what: String) {
        let mark = match dialect {
            Dialect::Strict => &mut self.strict,
            Dialect::Shipped => &mut self.shipped,
        };
        // The first mark of each dialect is enough for the report.
        mark.get_or_insert(Mark { at, what });
    }

    fn fields(&mut self, dialect: Dialect, names: &[&str], of: &Map<String, Value>, at: &Pointer) {
        if let Some(name) = names.iter().find(|name| of.contains_key(**name)) {
            self.add(dialect, at.field(name), format!("`{name}`"));
        }
    }

    fn step(&mut self, step: &Value, at: &Pointer) {
        let Value::Object(entries) = step else {
            return;
        };
        self.fields(Dialect::Strict, &STRICT_STEP, entries, at);
        self.fields(Dialect::Shipped, &SHIPPED_STEP, entries, at);
        match entries.get("type").and_then(Value::as_str) {
            Some(kind @ ("step" | "template_call")) => {
                self.add(Dialect::Strict, at.field("type"), format!("a step of type `{kind}`"));
            }
            Some("parallel") => {
                self.add(Dialect::Shipped, at.field("type"), "a step of type `parallel`".into());
            }
            _ => {}
        }
        self.steps(entries.get("body"), &at.field("body"));
    }

    fn steps(&mut self, steps: Option<&Value>, at: &Pointer) {
        for (index, step) in steps.and_then(Value::as_array).into_iter().flatten().enumerate() {
            self.step(step, &at.item(index));
        }
    }
}

/// Returns the dialect of a file, or `None` if it mixes both, which is reported.
pub(crate) fn detect(file: &Value, problems: &mut Problems) -> Option<Dialect> {
    let root = Pointer::root();
    let mut marks = Marks::default();
    if let Value::Object(entries) = file {
        marks.fields(Dialect::Strict, &STRICT_TOP, entries, &root);
        marks.fields(Dialect::Shipped, &SHIPPED_TOP, entries, &root);
        marks.steps(entries.get("steps"), &root.field("steps"));
    }
    match marks {
        Marks { strict: Some(strict), shipped: Some(shipped) } => {
            let reason = format!(
                "the file mixes two dialects: {} belongs to the strict one, {} at `{}` to the shipped one",
                strict.what, shipped.what, shipped.at
            );
            let fix = "write the whole file in one dialect: replace one of the two, and what belongs to it";
            problems.report(&strict.at, ProblemCode::MixedDialects, reason, fix);
            None
        }
        Marks { shipped: Some(_), .. } => Some(Dialect::Shipped),
        Marks { .. } => Some(Dialect::Strict),
    }
}
