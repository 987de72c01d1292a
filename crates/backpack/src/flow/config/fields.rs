//! Reading the fields of a JSON object, with all problems and their locations.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::flow::problem::{Problems, join};

/// An object that is being read.
pub(super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    path: String,
}

impl<'a> Fields<'a> {
    /// Reads the fields of `value`. A field that is not in `known` is a problem.
    pub(super) fn of(
        value: &'a Value,
        path: &str,
        known: &[&str],
        problems: &mut Problems,
    ) -> Option<Self> {
        let Value::Object(object) = value else {
            problems.error(path, no_object(value));
            return None;
        };
        for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
            let place = join(path, name);
            problems.error(place, format!("no such field; the fields are {}", known.join(", ")));
        }
        Some(Self { object, path: path.to_owned() })
    }

    /// Returns the path of a field.
    pub(super) fn path(&self, name: &str) -> String {
        join(&self.path, name)
    }

    /// Returns a text, if the field is present.
    pub(super) fn text(&self, name: &str, problems: &mut Problems) -> Option<String> {
        match self.object.get(name)? {
            Value::String(text) => Some(text.clone()),
            other => {
                let message = format!("a text is expected, and this is {}", kind(other));
                problems.error(self.path(name), message);
                None
            }
        }
    }

    /// Returns a required text. If it is missing, reports the problem and returns an empty text.
    pub(super) fn required(&self, name: &str, problems: &mut Problems) -> String {
        if !self.object.contains_key(name) {
            problems.error(self.path(name), "it is missing");
        }
        self.text(name, problems).unwrap_or_default()
    }

    /// Returns the entries of a list; none if the field is absent.
    pub(super) fn list(&self, name: &str, problems: &mut Problems) -> &'a [Value] {
        match self.object.get(name) {
            None => &[],
            Some(Value::Array(entries)) => entries,
            Some(other) => {
                let message = format!("a list is expected, and this is {}", kind(other));
                problems.error(self.path(name), message);
                &[]
            }
        }
    }

    /// Returns an object; empty if the field is absent.
    pub(super) fn object(&self, name: &str, problems: &mut Problems) -> Map<String, Value> {
        match self.object.get(name) {
            None => Map::new(),
            Some(Value::Object(object)) => object.clone(),
            Some(other) => {
                problems.error(self.path(name), no_object(other));
                Map::new()
            }
        }
    }

    /// Deserializes a field as a `T`.
    pub(super) fn shaped<T: DeserializeOwned>(
        &self,
        name: &str,
        problems: &mut Problems,
    ) -> Option<T> {
        match serde_json::from_value(self.object.get(name)?.clone()) {
            Ok(value) => Some(value),
            Err(error) => {
                problems.error(self.path(name), error.to_string());
                None
            }
        }
    }
}

pub(super) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn no_object(value: &Value) -> String {
    format!("an object is expected, and this is {}", kind(value))
}
