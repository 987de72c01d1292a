//! Prompts of the strict dialect: one text, or blocks that may take in texts of Piton's.

use std::collections::BTreeMap;

use piton_core::BoundedText;
use serde_json::Value;

use crate::bounds::{
    BLOCK_BYTES_MAX, BLOCK_ITEMS_MAX, BLOCK_PARTS_MAX, PROMPT_BYTES_MAX, TITLE_BYTES_MAX,
};
use crate::source::problem::{ProblemCode, Problems};
use crate::source::read::{Object, Read, text, wrong_type};
use crate::source::{Pointer, RefId};

const NO_REFERENCE: &str =
    "refer to texts only in `goal`, `constraints`, `procedure` and `verify` of `promptBlocks`";

/// Authored text for agents or people, in which nothing is filled in later.
#[derive(Clone, Debug)]
pub(crate) struct Prose<const MAX: usize>(BoundedText<MAX>);

impl<const MAX: usize> Prose<MAX> {
    /// A text of Piton's own.
    pub(crate) fn fixed(text: &str) -> Self {
        Self(BoundedText::new(text).expect("texts of Piton's own are short"))
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub(crate) fn into_string(self) -> String {
        self.0.into_string()
    }
}

impl<const MAX: usize> Read for Prose<MAX> {
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

/// What a step asks of an agent.
#[derive(Debug)]
pub(crate) enum Prompt {
    Text(String),
    Blocks(Blocks),
}

/// A prompt in sections.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) goal: Option<Item>,
    pub(crate) constraints: Vec<Item>,
    pub(crate) procedure: Vec<Item>,
    pub(crate) output_required: BTreeMap<String, String>,
    pub(crate) verify: Vec<Item>,
}

/// One item of a section.
#[derive(Debug)]
pub(crate) struct Item(pub(crate) Vec<Part>);

/// A part of an item.
#[derive(Debug)]
pub(crate) enum Part {
    Text(String),
    Ref { id: RefId, at: Pointer },
}

impl Prompt {
    /// The prompt of a step, which has exactly one of two forms.
    pub(super) fn read(object: &mut Object<'_>, problems: &mut Problems) -> Option<Self> {
        match (object.raw("prompt"), object.raw("promptBlocks")) {
            (None, None) => {
                object.missing("promptBlocks", problems);
                None
            }
            (Some(_), Some(_)) => {
                let reason = "a step has either `prompt` or `promptBlocks`";
                let at = object.at("prompt");
                problems.report(&at, ProblemCode::ConflictingFields, reason, "remove one of them");
                None
            }
            (Some(Value::Array(_)), None) => {
                let reason = "a `prompt` is one text";
                let at = object.at("prompt");
                problems.report(&at, ProblemCode::MisplacedReference, reason, NO_REFERENCE);
                None
            }
            (Some(_), None) => {
                let text = object.required::<Prose<PROMPT_BYTES_MAX>>("prompt", problems)?;
                Some(Self::Text(text.into_string()))
            }
            (None, Some(_)) => object.required("promptBlocks", problems).map(Self::Blocks),
        }
    }
}

impl Read for Blocks {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = Object::open(value, at, problems)?;
        let blocks = Self {
            goal: object.optional("goal", problems),
            constraints: object.list("constraints", BLOCK_ITEMS_MAX, problems),
            procedure: object.list("procedure", BLOCK_ITEMS_MAX, problems),
            output_required: output_required(&mut object, problems),
            verify: object.list("verify", BLOCK_ITEMS_MAX, problems),
        };
        object.finish(problems);
        let lists = [&blocks.constraints, &blocks.procedure, &blocks.verify];
        let empty = blocks.goal.is_none()
            && lists.iter().all(|list| list.is_empty())
            && blocks.output_required.is_empty();
        if empty && !problems.any_within(at) {
            let fix = "add a goal, constraints, a procedure, required output or checks";
            problems.report(at, ProblemCode::Empty, "the prompt says nothing", fix);
        }
        Some(blocks)
    }
}

fn output_required(object: &mut Object<'_>, problems: &mut Problems) -> BTreeMap<String, String> {
    let at = object.at("outputRequired");
    let mut read = BTreeMap::new();
    match object.raw("outputRequired") {
        None => {}
        Some(Value::Object(entries)) => {
            if entries.len() > BLOCK_ITEMS_MAX {
                let reason =
                    format!("there are {} entries, {BLOCK_ITEMS_MAX} are allowed", entries.len());
                problems.report(&at, ProblemCode::TooMany, reason, "remove some of them");
            }
            for (name, value) in entries.iter().take(BLOCK_ITEMS_MAX) {
                let at = at.field(name);
                if value.is_array() {
                    let reason = "what is required is one text";
                    problems.report(&at, ProblemCode::MisplacedReference, reason, NO_REFERENCE);
                    continue;
                }
                let name = Value::String(name.clone());
                let name = Prose::<TITLE_BYTES_MAX>::read(&name, &at, problems);
                let value = Prose::<BLOCK_BYTES_MAX>::read(value, &at, problems);
                read.extend(
                    name.zip(value).map(|(name, value)| (name.into_string(), value.into_string())),
                );
            }
        }
        Some(other) => wrong_type(other, &at, "an object of texts", problems),
    }
    read
}

impl Read for Item {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let Value::Array(parts) = value else {
            let text = Prose::<BLOCK_BYTES_MAX>::read(value, at, problems)?;
            return Some(Self(vec![Part::Text(text.into_string())]));
        };
        if parts.is_empty() || parts.len() > BLOCK_PARTS_MAX {
            let reason =
                format!("there are {} parts, 1 to {BLOCK_PARTS_MAX} are allowed", parts.len());
            problems.report(at, ProblemCode::TooMany, reason, "use as many parts as are allowed");
        }
        let read = |(index, part)| Part::read(part, &at.item(index), problems);
        let parts = parts.iter().take(BLOCK_PARTS_MAX).enumerate().filter_map(read).collect();
        Some(Self(parts))
    }
}

impl Read for Part {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = Object::open(value, at, problems)?;
        let Some(kind) = object.raw("kind") else {
            object.missing("kind", problems);
            return None;
        };
        let part = match text(kind, &object.at("kind"), problems)? {
            "text" => {
                let text = object.required::<Prose<BLOCK_BYTES_MAX>>("text", problems);
                text.map(|text| Self::Text(text.into_string()))
            }
            "ref" => {
                let id = object.required("refId", problems);
                id.map(|id| Self::Ref { id, at: object.at("refId") })
            }
            other => {
                let reason = format!("`{other}` is not a kind of part; there are `text` and `ref`");
                let fix = "write the text out, or refer to one of Piton's; files and addresses are not read";
                problems.report(&object.at("kind"), ProblemCode::UnknownName, reason, fix);
                return None;
            }
        };
        object.finish(problems);
        part
    }
}
