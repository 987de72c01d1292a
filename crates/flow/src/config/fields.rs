//! Reading the fields of a JSON object, with every problem and its place.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::problem::{Problems, join};

/// An object that is being read.
pub(super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    path: String,
}

impl<'a> Fields<'a> {
    /// The fields of `value`; what is not among `known` is a problem.
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

    /// Where a field is.
    pub(super) fn path(&self, name: &str) -> String {
        join(&self.path, name)
    }

    /// A text, if it is there.
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

    /// A text that has to be there; an empty one stands for what is missing, after the problem was told.
    pub(super) fn required(&self, name: &str, problems: &mut Problems) -> String {
        if !self.object.contains_key(name) {
            problems.error(self.path(name), "it is missing");
        }
        self.text(name, problems).unwrap_or_default()
    }

    /// The entries of a list; none if it is absent.
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

    /// An object; empty if it is absent.
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

    /// Something that has its own shape.
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
