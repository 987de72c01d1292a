//! Prompts: one text, or blocks that may include texts of Piton. Both dialects write them in the same way; in
//! the strict one nothing is filled in.

use std::collections::BTreeMap;

use piton_core::BoundedText;
use serde_json::Value;

use super::builtin_id::RefId;
use super::problem::{Pointer, ProblemCode, Problems};
use super::read::{FromSource, ObjectReader};
use crate::bounds::{
    BLOCK_BYTES_MAX, BLOCK_ITEMS_MAX, BLOCK_PARTS_MAX, PROMPT_BYTES_MAX, TITLE_BYTES_MAX,
};

const NO_REFERENCE: &str =
    "refer to texts only in `goal`, `constraints`, `procedure` and `verify` of `promptBlocks`";

/// Authored text for agents or people that contains no variables.
#[derive(Clone, Debug)]
pub(crate) struct Prose<const MAX: usize>(BoundedText<MAX>);

impl<const MAX: usize> Prose<MAX> {
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub(crate) fn into_string(self) -> String {
        self.0.into_string()
    }
}

impl<const MAX: usize> FromSource for Prose<MAX> {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let text = BoundedText::<MAX>::read(value, at, problems)?;
        if text.as_str().contains("{{") {
            let reason = "nothing is filled in for `{{ }}`";
            let fix = "write the text out, or refer to one with {\"kind\": \"ref\", \"refId\": …}";
            problems.report(at, ProblemCode::Interpolation, reason, fix);
        }
        Some(Self(text))
    }
}

/// Policy for `{{ }}` in a prompt, which is filled in when the step is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variables {
    Refused,
    Allowed,
}

impl Variables {
    /// Reads a text of at most `MAX` bytes.
    fn text<const MAX: usize>(
        self,
        value: &Value,
        at: &Pointer,
        problems: &mut Problems,
    ) -> Option<String> {
        match self {
            Self::Refused => Prose::<MAX>::read(value, at, problems).map(Prose::into_string),
            Self::Allowed => {
                BoundedText::<MAX>::read(value, at, problems).map(BoundedText::into_string)
            }
        }
    }
}

/// The instructions of a step for an agent.
#[derive(Clone, Debug)]
pub(crate) enum Prompt {
    Text(String),
    Blocks(Blocks),
}

/// A prompt in sections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) goal: Option<Item>,
    pub(crate) constraints: Vec<Item>,
    pub(crate) procedure: Vec<Item>,
    pub(crate) output_required: BTreeMap<String, String>,
    pub(crate) verify: Vec<Item>,
}

/// One item of a section.
#[derive(Clone, Debug)]
pub(crate) struct Item(pub(crate) Vec<PromptPart>);

/// A part of an item.
#[derive(Clone, Debug)]
pub(crate) enum PromptPart {
    Text(String),
    Ref { id: RefId, at: Pointer },
}

impl Prompt {
    /// Reads the prompt of a step, which has exactly one of two forms.
    pub(crate) fn read(object: &mut ObjectReader<'_, '_>, variables: Variables) -> Option<Self> {
        match (object.raw("prompt"), object.raw("promptBlocks")) {
            (None, None) => {
                object.missing("promptBlocks");
                None
            }
            (Some(_), Some(_)) => {
                let reason = "a step has either `prompt` or `promptBlocks`";
                object.report(
                    "prompt",
                    ProblemCode::ConflictingFields,
                    reason,
                    "remove one of them",
                );
                None
            }
            (Some(Value::Array(_)), None) => {
                let reason = "a `prompt` is one text";
                object.report("prompt", ProblemCode::MisplacedReference, reason, NO_REFERENCE);
                None
            }
            (Some(text), None) => {
                let at = object.at("prompt");
                variables.text::<PROMPT_BYTES_MAX>(text, &at, object.problems).map(Self::Text)
            }
            (None, Some(blocks)) => {
                let at = object.at("promptBlocks");
                Blocks::read(blocks, &at, variables, object.problems).map(Self::Blocks)
            }
        }
    }
}

impl Blocks {
    fn read(
        value: &Value,
        at: &Pointer,
        variables: Variables,
        problems: &mut Problems,
    ) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let item = |value: &Value, at: &Pointer, problems: &mut Problems| {
            Item::read(value, at, variables, problems)
        };
        let goal = object.raw("goal");
        let goal = goal.and_then(|goal| item(goal, &at.field("goal"), object.problems));
        let blocks = Self {
            goal,
            constraints: object.list_by("constraints", BLOCK_ITEMS_MAX, item),
            procedure: object.list_by("procedure", BLOCK_ITEMS_MAX, item),
            output_required: output_required(&mut object, variables),
            verify: object.list_by("verify", BLOCK_ITEMS_MAX, item),
        };
        object.finish();
        let lists = [&blocks.constraints, &blocks.procedure, &blocks.verify];
        let empty = blocks.goal.is_none()
            && lists.iter().all(|list| list.is_empty())
            && blocks.output_required.is_empty();
        // A prompt that is empty because all of its parts were refused has been reported already.
        if empty && !problems.any_within(at) {
            let fix = "add a goal, constraints, a procedure, required output or checks";
            problems.report(at, ProblemCode::Empty, "the prompt says nothing", fix);
        }
        Some(blocks)
    }
}

fn output_required(
    object: &mut ObjectReader<'_, '_>,
    variables: Variables,
) -> BTreeMap<String, String> {
    let entries = object.entries("outputRequired", "an object of texts");
    if entries.len() > BLOCK_ITEMS_MAX {
        let reason = format!("there are {} entries, {BLOCK_ITEMS_MAX} are allowed", entries.len());
        object.report("outputRequired", ProblemCode::TooMany, reason, "remove some of them");
    }
    let mut read = BTreeMap::new();
    for (name, value, at) in entries.into_iter().take(BLOCK_ITEMS_MAX) {
        if value.is_array() {
            let reason = "what is required is one text";
            object.problems.report(&at, ProblemCode::MisplacedReference, reason, NO_REFERENCE);
            continue;
        }
        let name = Value::String(name.clone());
        let name = variables.text::<TITLE_BYTES_MAX>(&name, &at, object.problems);
        let value = variables.text::<BLOCK_BYTES_MAX>(value, &at, object.problems);
        read.extend(name.zip(value));
    }
    read
}

impl Item {
    fn read(
        value: &Value,
        at: &Pointer,
        variables: Variables,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Value::Array(parts) = value else {
            let text = variables.text::<BLOCK_BYTES_MAX>(value, at, problems)?;
            return Some(Self(vec![PromptPart::Text(text)]));
        };
        if parts.is_empty() || parts.len() > BLOCK_PARTS_MAX {
            let reason =
                format!("there are {} parts, 1 to {BLOCK_PARTS_MAX} are allowed", parts.len());
            problems.report(at, ProblemCode::TooMany, reason, "use as many parts as are allowed");
        }
        let read = |(index, part)| PromptPart::read(part, &at.item(index), variables, problems);
        let parts = parts.iter().take(BLOCK_PARTS_MAX).enumerate().filter_map(read).collect();
        Some(Self(parts))
    }
}

impl PromptPart {
    fn read(
        value: &Value,
        at: &Pointer,
        variables: Variables,
        problems: &mut Problems,
    ) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let part = match object.required_text("kind")? {
            "text" => {
                if !object.has("text") {
                    object.missing("text");
                }
                let text = object.raw("text")?;
                let at = object.at("text");
                variables.text::<BLOCK_BYTES_MAX>(text, &at, object.problems).map(Self::Text)
            }
            "ref" => {
                let id = object.required("refId");
                id.map(|id| Self::Ref { id, at: object.at("refId") })
            }
            other => {
                let reason = format!("`{other}` is not a kind of part; there are `text` and `ref`");
                let fix = "write the text out, or refer to one of Piton's; files and addresses are not read";
                object.report("kind", ProblemCode::UnknownName, reason, fix);
                return None;
            }
        };
        object.finish();
        part
    }
}
