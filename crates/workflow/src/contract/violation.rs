//! The problems of an artifact: one entry for each, with the given value and the required one.

use std::fmt;

use piton_core::byte_len;
use piton_core::canonical::encode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Number, Value};

use super::shape::{Field, Presence, Shape};
use crate::bounds::QUOTE_BYTES_MAX;
use crate::name::StepId;
use crate::source::Pointer;

piton_core::closed_set! {
    /// In which way a value is wrong.
    pub enum ViolationKind {
        /// It must be there and is not.
        Missing => "missing",
        /// It must not be there and is.
        Unexpected => "unexpected",
        /// It is a value of another type.
        WrongType => "wrong_type",
        /// It is none of the allowed values.
        NotAllowed => "not_allowed",
        /// It is shorter or smaller than allowed.
        TooSmall => "too_small",
        /// It is longer or larger than allowed.
        TooLarge => "too_large",
    }
}

/// One thing that is wrong with an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Violation {
    /// Where, as a JSON pointer into the artifact.
    pub path: Pointer,
    /// In which way.
    pub kind: ViolationKind,
    /// What is there, shortened; `nothing` if there is nothing.
    pub given: String,
    /// What must be there.
    pub required: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, given, required, .. } = self;
        write!(formatter, "`{path}` is {given}, and must be {required}")
    }
}

impl Violation {
    pub(super) fn of(
        at: ArtifactPath<'_>,
        kind: ViolationKind,
        given: &Value,
        required: String,
    ) -> Self {
        Self { path: at.pointer(), kind, given: quote(given), required }
    }

    pub(super) fn absent(at: ArtifactPath<'_>, required: String) -> Self {
        let kind = ViolationKind::Missing;
        Self { path: at.pointer(), kind, given: "nothing".into(), required }
    }
}

/// Returns the beginning of a value's JSON.
fn quote(value: &Value) -> String {
    let text = value.to_string();
    if byte_len(&text) <= QUOTE_BYTES_MAX {
        return text;
    }
    format!("{}…", &text[..text.floor_char_boundary(QUOTE_BYTES_MAX)])
}

impl Shape {
    /// Adds the problems of `value` to `found`.
    pub(super) fn check(&self, value: &Value, at: ArtifactPath<'_>, found: &mut Vec<Violation>) {
        let mut wrong = |kind| found.push(Violation::of(at, kind, value, self.to_string()));
        match (self, value) {
            (Self::Text { min_chars, max_bytes }, Value::String(text)) => {
                if byte_len(text) > *max_bytes as usize {
                    wrong(ViolationKind::TooLarge);
                }
                // Surrounding spaces do not count towards the minimum, so that it cannot be met by padding.
                let length = text.trim().chars().count(); // tidy: chars, because a minimum is no budget
                if length < *min_chars as usize {
                    wrong(ViolationKind::TooSmall);
                }
            }
            // All ids have one form, so the parser of step ids serves for all of them.
            (Self::Id, Value::String(text)) if text.parse::<StepId>().is_err() => {
                wrong(ViolationKind::NotAllowed);
            }
            (Self::OneOf { values }, Value::String(text)) if !values.contains(text) => {
                wrong(ViolationKind::NotAllowed);
            }
            (Self::Exactly { value: only }, Value::Number(number))
                if whole(number) != Some(i128::from(*only)) =>
            {
                wrong(ViolationKind::NotAllowed);
            }
            (Self::Integer { min, max }, Value::Number(number)) => match whole(number) {
                Some(number) if number > i128::from(*max) => wrong(ViolationKind::TooLarge),
                Some(number) if number < i128::from(*min) => wrong(ViolationKind::TooSmall),
                Some(_) => {}
                None => wrong(ViolationKind::WrongType),
            },
            (Self::Id | Self::OneOf { .. }, Value::String(_))
            | (Self::Exactly { .. }, Value::Number(_))
            | (Self::Boolean, Value::Bool(_)) => {}
            (Self::List { items, max_items }, Value::Array(list)) => {
                if list.len() > *max_items as usize {
                    wrong(ViolationKind::TooLarge);
                }
                for (index, item) in list.iter().enumerate() {
                    items.check(item, ArtifactPath::Item(&at, index), found);
                }
            }
            (Self::Map { values, max_entries }, Value::Object(entries)) => {
                if entries.len() > *max_entries as usize {
                    wrong(ViolationKind::TooLarge);
                }
                for (key, value) in entries {
                    let at = ArtifactPath::Field(&at, key);
                    // The value is checked under a wrong key as well, so that all problems are reported at
                    // once.
                    if key.parse::<StepId>().is_err() {
                        let key = Value::String(key.clone());
                        let required = format!("under a key that is {}", Self::Id);
                        found.push(Violation::of(at, ViolationKind::NotAllowed, &key, required));
                    }
                    values.check(value, at, found);
                }
            }
            (Self::Object { fields, open }, Value::Object(entries)) => {
                check_fields(fields, *open, ObjectEntries { all: entries, apart: None }, at, found);
            }
            // The problems of the alternatives are discarded: listing all of them would not say which one was
            // meant.
            (Self::AnyOf { shapes }, _) => {
                let fits = |shape: &Self| {
                    let mut found = Vec::new();
                    shape.check(value, at, &mut found);
                    found.is_empty()
                };
                if !shapes.iter().any(fits) {
                    wrong(ViolationKind::NotAllowed);
                }
            }
            (Self::AnyObject { max_bytes }, Value::Object(_)) => {
                // A value without a canonical form has no size, so it counts as too large.
                let size = encode(value).map_or(usize::MAX, |bytes| bytes.len());
                if size > *max_bytes as usize {
                    wrong(ViolationKind::TooLarge);
                }
            }
            // Anything else pairs a shape with a value of another JSON type.
            _ => wrong(ViolationKind::WrongType),
        }
    }
}

/// Returns the whole number that `number` is, even if it is written as `1.0`: canonical JSON has one form for
/// both.
fn whole(number: &Number) -> Option<i128> {
    let fraction = number.as_f64().filter(|value| value.fract() == 0.0);
    // Formatting gives every digit of a large float, where a cast would saturate.
    number.as_i128().or_else(|| format!("{:.0}", fraction?).parse().ok())
}

/// The entries of an object.
#[derive(Clone, Copy)]
pub(super) struct ObjectEntries<'a> {
    pub(super) all: &'a Map<String, Value>,
    /// The name of an entry that is ignored here because it is checked elsewhere.
    pub(super) apart: Option<&'a str>,
}

impl<'a> ObjectEntries<'a> {
    fn get(self, name: &str) -> Option<&'a Value> {
        self.all.get(name).filter(|_| self.apart != Some(name))
    }

    fn iter(self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.all.iter().filter(move |(name, _)| self.apart != Some(name.as_str()))
    }
}

pub(super) fn check_fields(
    fields: &[Field],
    open: bool,
    entries: ObjectEntries<'_>,
    at: ArtifactPath<'_>,
    found: &mut Vec<Violation>,
) {
    for field in fields {
        let here = ArtifactPath::Field(&at, &field.name);
        // `None` means that the field may be present or absent.
        let needed = match &field.presence {
            Presence::Required => Some(true),
            Presence::Optional => None,
            Presence::When { field, equals } => {
                Some(entries.get(field).and_then(Value::as_str) == Some(equals))
            }
        };
        match (entries.get(&field.name), needed) {
            (None, Some(true)) => found.push(Violation::absent(here, field.shape.to_string())),
            (None, _) => {}
            (Some(value), Some(false)) => {
                let required = format!("absent, because it is there only {}", field.presence);
                found.push(Violation::of(here, ViolationKind::Unexpected, value, required));
            }
            (Some(value), _) => field.shape.check(value, here, found),
        }
    }
    // An unknown field is often a misspelt one, so the message lists the known names.
    for (name, value) in entries.iter().filter(|_| !open) {
        if fields.iter().all(|field| field.name != *name) {
            let known: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
            let required = format!("absent; the fields are: {}", known.join(", "));
            let (at, kind) = (ArtifactPath::Field(&at, name), ViolationKind::Unexpected);
            found.push(Violation::of(at, kind, value, required));
        }
    }
}

/// A position in an artifact, linked to the one around it.
#[derive(Clone, Copy)]
pub(super) enum ArtifactPath<'a> {
    Root,
    Field(&'a ArtifactPath<'a>, &'a str),
    Item(&'a ArtifactPath<'a>, usize),
}

impl ArtifactPath<'_> {
    /// Returns the position as text.
    pub(super) fn pointer(self) -> Pointer {
        match self {
            Self::Root => Pointer::root(),
            Self::Field(of, name) => of.pointer().field(name),
            Self::Item(of, index) => of.pointer().item(index),
        }
    }
}
