//! The dialects of workflow files, and the detection of a file's dialect from its shape.
//!
//! *Invariants*: fields and forms that the other dialect does not have identify a dialect. A file without any
//! is strict; a file with those of both is refused, because each reader would misread the other's half.

use serde_json::{Map, Value};

use super::json::parse;
use super::problem::{Pointer, ProblemCode, Problems};

piton_core::closed_set! {
    /// In which form a workflow file is written.
    pub enum Dialect {
        /// Loops by contract, no variables in prompts.
        Strict => "strict",
        /// The form that existing workflow files use: conditions on the context of a run, variables in prompts. Its
        /// name in JSON is older than the name in code.
        Classic => "shipped",
    }
}

/// Top-level fields that only the strict dialect has.
const STRICT_TOP: [&str; 3] = ["agentRole", "capabilities", "conditions"];

/// Top-level fields that only the classic dialect has.
const CLASSIC_TOP: [&str; 12] = [
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

/// Fields of a step that only the classic dialect has.
const CLASSIC_STEP: [&str; 15] = [
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
    classic: Option<Mark>,
}

impl Marks {
    fn add(&mut self, dialect: Dialect, at: Pointer, what: String) {
        let mark = match dialect {
            Dialect::Strict => &mut self.strict,
            Dialect::Classic => &mut self.classic,
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
        self.fields(Dialect::Classic, &CLASSIC_STEP, entries, at);
        match entries.get("type").and_then(Value::as_str) {
            Some(kind @ ("step" | "template_call")) => {
                self.add(Dialect::Strict, at.field("type"), format!("a step of type `{kind}`"));
            }
            Some("parallel") => {
                self.add(Dialect::Classic, at.field("type"), "a step of type `parallel`".into());
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

/// Returns the dialect of the file `text`, if it is JSON and does not mix both.
pub fn dialect_of(text: &str) -> Option<Dialect> {
    let mut problems = Problems::default();
    detect(&parse(text, &mut problems)?, &mut problems)
}

/// Returns the dialect of a file, or `None` if it mixes both, which is reported.
pub(crate) fn detect(file: &Value, problems: &mut Problems) -> Option<Dialect> {
    let root = Pointer::root();
    let mut marks = Marks::default();
    if let Value::Object(entries) = file {
        marks.fields(Dialect::Strict, &STRICT_TOP, entries, &root);
        marks.fields(Dialect::Classic, &CLASSIC_TOP, entries, &root);
        marks.steps(entries.get("steps"), &root.field("steps"));
    }
    match marks {
        Marks { strict: Some(strict), classic: Some(classic) } => {
            let reason = format!(
                "the file mixes two dialects: {} belongs to the strict one, {} at `{}` to the classic one",
                strict.what, classic.what, classic.at
            );
            let fix = "write the whole file in one dialect: replace one of the two, and what belongs to it";
            problems.report(&strict.at, ProblemCode::MixedDialects, reason, fix);
            None
        }
        Marks { classic: Some(_), .. } => Some(Dialect::Classic),
        Marks { .. } => Some(Dialect::Strict),
    }
}
