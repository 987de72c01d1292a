//! A reader for JSON that continues after a problem.
//!
//! *Invariants*: a value that is read is either as wanted or missing, and in the second case a problem was
//! reported.

use std::fmt::Display;
use std::str::FromStr;

use piton_core::{BoundedText, nearest};
use serde_json::{Map, Value};

use super::builtin_id::{ContractRef, FeatureId, RefId, RoutineId, TemplateId};
use super::problem::{CONTRACT_INSTEAD, Pointer, ProblemCode, Problems};
use crate::bounds::{BLOCK_BYTES_MAX, DESCRIPTION_BYTES_MAX};
use crate::compile::{ConfirmationKind, ContextRole, FileScope, ModelTier};
use crate::event::{Autonomy, RiskPolicy};
use crate::name::{AssessmentId, ConditionId, DimensionId, LoopId, StepId};

/// A type that can be read from a JSON value.
pub(crate) trait FromSource: Sized {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self>;
}

/// An object that is read field by field.
pub(crate) struct ObjectReader<'a, 'p> {
    at: Pointer,
    entries: &'a Map<String, Value>,
    asked: Vec<&'static str>,
    pub(crate) problems: &'p mut Problems,
}

impl<'a, 'p> ObjectReader<'a, 'p> {
    /// Opens `value`, which must be an object.
    pub(crate) fn open(value: &'a Value, at: &Pointer, problems: &'p mut Problems) -> Option<Self> {
        let Value::Object(entries) = value else {
            wrong_type(value, at, "an object", problems);
            return None;
        };
        Some(Self { at: at.clone(), entries, asked: Vec::new(), problems })
    }

    pub(crate) fn at(&self, name: &str) -> Pointer {
        self.at.field(name)
    }

    /// Returns the raw value of a field.
    pub(crate) fn raw(&mut self, name: &'static str) -> Option<&'a Value> {
        self.asked.push(name);
        self.entries.get(name)
    }

    /// Reads a field that may be absent.
    pub(crate) fn optional<T: FromSource>(&mut self, name: &'static str) -> Option<T> {
        let value = self.raw(name)?;
        T::read(value, &self.at(name), self.problems)
    }

    /// Reads a field that must be present.
    pub(crate) fn required<T: FromSource>(&mut self, name: &'static str) -> Option<T> {
        if !self.has(name) {
            self.missing(name);
        }
        self.optional(name)
    }

    /// Reads a text that must be present, such as the type of a step.
    pub(crate) fn required_text(&mut self, name: &'static str) -> Option<&'a str> {
        if !self.has(name) {
            self.missing(name);
        }
        text(self.raw(name)?, &self.at(name), self.problems)
    }

    /// Reads a text that must be present and one of `names`.
    pub(crate) fn one_of(&mut self, name: &'static str, names: &[&str]) -> Option<&'a str> {
        let found = self.required_text(name)?;
        if names.contains(&found) {
            return Some(found);
        }
        let reason = format!("`{found}` is not one of: {}", names.join(", "));
        self.report(name, ProblemCode::UnknownName, reason, "use one of these names");
        None
    }

    /// Reads a field with any content, as JSON text of bounded length.
    pub(crate) fn json_text(&mut self, name: &'static str) -> Option<String> {
        let text = Value::String(self.raw(name)?.to_string());
        let text = BoundedText::<BLOCK_BYTES_MAX>::read(&text, &self.at(name), self.problems);
        text.map(BoundedText::into_string)
    }

    /// Reads the object in a field that must be present.
    pub(crate) fn nested<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut ObjectReader<'a, '_>) -> T,
    ) -> Option<T> {
        if !self.has(name) {
            self.missing(name);
        }
        let mut object = ObjectReader::open(self.raw(name)?, &self.at(name), self.problems)?;
        let inside = read(&mut object);
        object.finish();
        Some(inside)
    }

    /// Reads `$schema`, by which an editor checks the file. It means nothing here.
    pub(crate) fn schema_address(&mut self) {
        self.optional::<BoundedText<DESCRIPTION_BYTES_MAX>>("$schema");
    }

    /// Reads a flag; false if it is absent.
    pub(crate) fn flag(&mut self, name: &'static str) -> bool {
        self.optional(name).unwrap_or(false)
    }

    /// Reports a problem of the field `name`.
    pub(crate) fn report(
        &mut self,
        name: &str,
        code: ProblemCode,
        reason: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.problems.report(&self.at.field(name), code, reason, fix);
    }

    /// True if there is a field of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Reports that the field `name` is missing.
    pub(crate) fn missing(&mut self, name: &'static str) {
        self.asked.push(name);
        let reason = format!("the field `{name}` is missing");
        self.problems.report(&self.at, ProblemCode::MissingField, reason, format!("add `{name}`"));
    }

    /// Reads a list of at most `max` items; an absent list is empty. Items with problems are left out.
    pub(crate) fn list<T: FromSource>(&mut self, name: &'static str, max: usize) -> Vec<T> {
        self.list_by(name, max, T::read)
    }

    /// Reads a list with a reader for the items.
    pub(crate) fn list_by<T>(
        &mut self,
        name: &'static str,
        max: usize,
        reader: impl Fn(&Value, &Pointer, &mut Problems) -> Option<T>,
    ) -> Vec<T> {
        let at = self.at(name);
        let value = self.raw(name);
        let problems = &mut *self.problems;
        match value {
            None => Vec::new(),
            Some(Value::Array(items)) => {
                if items.len() > max {
                    let reason = format!("there are {} items, {max} are allowed", items.len());
                    problems.report(&at, ProblemCode::TooMany, reason, "remove some of them");
                }
                // The items beyond the limit are not read: one problem is enough for a list that is too long.
                let read = |(index, item)| reader(item, &at.item(index), problems);
                items.iter().take(max).enumerate().filter_map(read).collect()
            }
            Some(other) => {
                wrong_type(other, &at, "a list", problems);
                Vec::new()
            }
        }
    }

    /// Returns the entries of an object with names of the author's choice, each with its position; none if it is
    /// absent. `wanted` says what it must be.
    pub(crate) fn entries(
        &mut self,
        name: &'static str,
        wanted: &str,
    ) -> Vec<(&'a String, &'a Value, Pointer)> {
        let at = self.at(name);
        match self.raw(name) {
            None => Vec::new(),
            Some(Value::Object(entries)) => {
                entries.iter().map(|(name, value)| (name, value, at.field(name))).collect()
            }
            Some(other) => {
                wrong_type(other, &at, wanted, self.problems);
                Vec::new()
            }
        }
    }

    /// Reads a list that must be present and not empty.
    pub(crate) fn filled_list<T: FromSource>(&mut self, name: &'static str, max: usize) -> Vec<T> {
        match self.raw(name) {
            None => self.missing(name),
            Some(Value::Array(items)) if items.is_empty() => {
                let reason = format!("`{name}` is empty");
                self.report(name, ProblemCode::Empty, reason, "add at least one");
            }
            Some(_) => {}
        }
        self.list(name, max)
    }

    /// Returns the names that were asked for, in order.
    pub(crate) fn into_asked(mut self) -> Vec<&'static str> {
        self.asked.sort_unstable();
        self.asked.dedup();
        self.asked
    }

    /// Reports every field that was not read.
    pub(crate) fn finish(mut self) {
        self.asked.sort_unstable();
        self.asked.dedup();
        for (name, value) in self.entries {
            if self.asked.contains(&name.as_str()) {
                continue;
            }
            let at = self.at.field(name);
            // A schema of the author's own gets a better explanation than an unknown field.
            if name.to_lowercase().contains("schema") {
                schema(value, &at, self.problems);
            } else {
                let fix = match nearest(name, self.asked.iter().copied()).first() {
                    Some(close) => format!("did you mean `{close}`?"),
                    None => format!("remove it; the fields here are: {}", self.asked.join(", ")),
                };
                let reason = format!("there is no field `{name}` here");
                self.problems.report(&at, ProblemCode::UnknownField, reason, fix);
            }
        }
    }
}

/// Reports a schema of the author's own.
fn schema(value: &Value, at: &Pointer, problems: &mut Problems) {
    if value.is_object() {
        let reason = "a workflow cannot define a schema";
        problems.report(at, ProblemCode::InlineSchema, reason, CONTRACT_INSTEAD);
    } else {
        let reason = "a workflow cannot take a schema from a file, a repository or a registry";
        problems.report(at, ProblemCode::ExternalSchema, reason, CONTRACT_INSTEAD);
    }
}

/// Reports that `value` is not `wanted`.
pub(crate) fn wrong_type(value: &Value, at: &Pointer, wanted: &str, problems: &mut Problems) {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    let reason = format!("{found} stands where {wanted} must be");
    problems.report(at, ProblemCode::WrongType, reason, format!("write {wanted}"));
}

/// Returns the text in `value`.
pub(crate) fn text<'a>(value: &'a Value, at: &Pointer, problems: &mut Problems) -> Option<&'a str> {
    if value.as_str().is_none() {
        wrong_type(value, at, "a text", problems);
    }
    value.as_str()
}

/// Parses a text that has a form of its own.
pub(crate) fn parsed<T: FromStr<Err: Display>>(
    text: &str,
    at: &Pointer,
    (code, fix): (ProblemCode, &str),
    problems: &mut Problems,
) -> Option<T> {
    match text.parse() {
        Ok(parsed) => Some(parsed),
        Err(error) => {
            problems.report(at, code, error.to_string(), fix);
            None
        }
    }
}

/// Implements reading for types that have a `FromStr`.
macro_rules! read_by_parsing {
    ($code:ident, $fix:tt: $($type:ty),+) => {$(
        impl FromSource for $type {
            fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
                let text = $crate::source::text(value, at, problems)?;
                $crate::source::parsed(text, at, (ProblemCode::$code, $fix), problems)
            }
        }
    )+};
}
pub(crate) use read_by_parsing;

read_by_parsing!(InvalidId, "write it in lowercase, with `_` or `-` between words":
    StepId, LoopId, ConditionId, AssessmentId, DimensionId, crate::name::Tag);
read_by_parsing!(InvalidId, "use an id from the catalogue of what Piton brings along":
    FeatureId, RefId, TemplateId, RoutineId);
read_by_parsing!(UnknownName, "use one of the known names":
    Autonomy, RiskPolicy, crate::capability::Capability, ModelTier, ConfirmationKind,
    crate::reason::UserOnlyDependency, crate::reason::NonAssumableChoice, FileScope, ContextRole);

impl FromSource for ContractRef {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let text = match value {
            Value::Object(_) => {
                schema(value, at, problems);
                return None;
            }
            other => text(other, at, problems)?,
        };
        // Anything that looks like a path or an address is an attempt to use a schema from elsewhere.
        if text.starts_with(Self::PREFIX) || !text.contains(['/', ':', '\\', '#']) {
            let fix = "use a contract that Piton brings along: `wr.contracts.<name>`";
            return parsed(text, at, (ProblemCode::InvalidId, fix), problems);
        }
        schema(value, at, problems);
        None
    }
}

impl FromSource for bool {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        if !value.is_boolean() {
            wrong_type(value, at, "true or false", problems);
        }
        value.as_bool()
    }
}

impl<const MAX: usize> FromSource for BoundedText<MAX> {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let text = text(value, at, problems)?;
        if text.trim().is_empty() {
            let fix = "write a text, or remove it";
            problems.report(at, ProblemCode::Empty, "the text is empty", fix);
            return None;
        }
        match Self::new(text) {
            Ok(bounded) => Some(bounded),
            Err(error) => {
                problems.report(at, ProblemCode::TooLong, error.to_string(), "shorten it");
                None
            }
        }
    }
}

/// A whole number from `MIN` to `MAX`.
pub(crate) struct Whole<const MIN: u32, const MAX: u32>(pub(crate) u32);

impl<const MIN: u32, const MAX: u32> FromSource for Whole<MIN, MAX> {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let Value::Number(number) = value else {
            wrong_type(value, at, "a whole number", problems);
            return None;
        };
        let fits = |number: &u32| (MIN..=MAX).contains(number);
        let read = number.as_u64().and_then(|number| number.try_into().ok()).filter(fits);
        if read.is_none() {
            let reason = format!("{number} is not a whole number from {MIN} to {MAX}");
            let fix = "write a number of that range";
            problems.report(at, ProblemCode::OutOfRange, reason, fix);
        }
        read.map(Self)
    }
}
