//! One thing that an author may use.

use serde::Serialize;
use serde_json::Value;

piton_core::closed_set! {
    /// What an entry is.
    pub enum BuiltinKind {
        /// What a step must hand in.
        Contract => "contract",
        /// What is switched on for a whole workflow.
        Feature => "feature",
        /// A capability that is tried out before the first step.
        Probe => "probe",
        /// A text that prompts take in.
        Ref => "ref",
        /// Steps in Piton's words.
        Template => "template",
    }
}

piton_core::closed_set! {
    /// Where the form of an entry is pasted.
    pub enum PastePoint {
        /// Its fields are fields of the workflow.
        Workflow => "workflow",
        /// It is an item of the workflow's `features`.
        Features => "features",
        /// It is an item of `steps`, or of the `body` of a loop.
        Steps => "steps",
        /// Its fields are fields of a step.
        Step => "step",
        /// It is a part of an item of `goal`, `constraints`, `procedure` or `verify`.
        PromptPart => "prompt_part",
    }
}

/// One thing that an author may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CatalogueEntry {
    /// Its name in workflow files.
    pub id: String,
    /// What it is.
    pub kind: BuiltinKind,
    /// Its name for people.
    pub label: String,
    /// What it does, in a sentence or two.
    pub description: String,
    /// What to paste.
    pub insert: Value,
    /// Where to paste it.
    pub place: PastePoint,
    /// What it brings: of a contract an artifact that keeps it, of a text the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
}

impl PastePoint {
    /// Returns the place in words.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Workflow => "a field of the workflow",
            Self::Features => "an item of the workflow's `features`",
            Self::Steps => "an item of `steps`, or of the `body` of a loop",
            Self::Step => "a field of a step",
            Self::PromptPart => {
                "a part of an item of `goal`, `constraints`, `procedure` or `verify`"
            }
        }
    }
}
