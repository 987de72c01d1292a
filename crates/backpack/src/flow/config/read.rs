//! Reading a description from JSON, with all problems at once.

use piton_core::refuse_lost_numbers;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::description::{Description, EdgeDescription, NodeDescription, VERSION};
use crate::Key;
use crate::flow::bounds::{CONFIG_BYTES_MAX, DEPTH_MAX};
use crate::flow::error::{Problems, join};
use crate::flow::graph::{Mappings, too_deep};
use crate::flow::node::DEFAULT;

const FLOW: [&str; 7] = ["version", "id", "namespace", "start", "nodes", "edges", "subflows"];
const NODE: [&str; 8] =
    ["id", "type", "segment", "params", "permissions", "retry", "inputs", "outputs"];
const EDGE: [&str; 4] = ["from", "to", "condition", "mappings"];

/// Reads a description from text.
pub(super) fn text(text: &str, problems: &mut Problems) -> Option<Description> {
    if text.len() > CONFIG_BYTES_MAX {
        problems.error("", format!("it has {} bytes; {CONFIG_BYTES_MAX} are taken", text.len()));
        return None;
    }
    // Parsing would silently round a number that does not fit; refuse it while its digits are still known.
    if let Err(lost) = refuse_lost_numbers(text) {
        problems.error("", lost.to_string());
        return None;
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) => flow(&value, "", 1, problems),
        Err(error) => {
            problems.error("", format!("it is not JSON: {error}"));
            None
        }
    }
}

/// Reads a description from a JSON value.
pub(super) fn flow(
    value: &Value,
    path: &str,
    depth: usize,
    problems: &mut Problems,
) -> Option<Description> {
    // Checked on the way down, before anything below is read.
    if depth > DEPTH_MAX {
        problems.error(path, too_deep());
        return None;
    }
    let fields = Fields::of(value, path, &FLOW, problems)?;
    let version = fields.text("version", problems);
    if let Some(version) = version.as_deref().filter(|version| *version != VERSION) {
        let message = format!("`{version}` is not known; this program reads {VERSION}");
        problems.error(fields.path("version"), message);
    }
    let nodes = fields.each("nodes", problems, node);
    let edges = fields.each("edges", problems, edge);
    let subflows = fields
        .each("subflows", problems, |value, path, problems| flow(value, path, depth + 1, problems));
    let id = fields.text("id", problems);
    let namespace = fields.text("namespace", problems);
    let start = fields.text("start", problems);
    Some(Description { version, id, namespace, start, nodes, edges, subflows })
}

fn node(value: &Value, path: &str, problems: &mut Problems) -> Option<NodeDescription> {
    let fields = Fields::of(value, path, &NODE, problems)?;
    Some(NodeDescription {
        id: fields.required("id", problems),
        kind: fields.required("type", problems),
        segment: fields.text("segment", problems),
        params: fields.object("params", problems),
        permissions: fields.shaped("permissions", problems),
        retry: fields.shaped("retry", problems).unwrap_or_default(),
        inputs: fields.object("inputs", problems).into_iter().collect(),
        outputs: fields.object("outputs", problems).into_iter().collect(),
    })
}

fn edge(value: &Value, path: &str, problems: &mut Problems) -> Option<EdgeDescription> {
    let fields = Fields::of(value, path, &EDGE, problems)?;
    let condition = fields.text("condition", problems);
    Some(EdgeDescription {
        from: fields.required("from", problems),
        to: fields.required("to", problems),
        condition: condition.unwrap_or_else(|| DEFAULT.to_owned()),
        mappings: mappings(&fields, problems),
    })
}

fn mappings(fields: &Fields<'_>, problems: &mut Problems) -> Mappings {
    let mut mappings = Mappings::new();
    for (source, target) in fields.object("mappings", problems) {
        let place = format!("{}.{source}", fields.path("mappings"));
        let Value::String(target) = &target else {
            problems.error(place, "the key to copy to is expected, and this is no text");
            continue;
        };
        match (Key::parse(&source), Key::parse(target)) {
            (Ok(source), Ok(target)) => {
                if mappings.values().any(|other| *other == target) {
                    problems.error(place, format!("two keys are copied to `{target}`"));
                }
                mappings.insert(source, target);
            }
            (Err(error), _) | (_, Err(error)) => problems.error(place, error.to_string()),
        }
    }
    mappings
}

/// An object that is being read.
struct Fields<'a> {
    object: &'a Map<String, Value>,
    path: String,
}

impl<'a> Fields<'a> {
    /// Reads the fields of `value`. A field that is not in `known` is a problem.
    fn of(value: &'a Value, path: &str, known: &[&str], problems: &mut Problems) -> Option<Self> {
        let Value::Object(object) = value else {
            problems.error(path, unexpected("an object", value));
            return None;
        };
        for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
            let place = join(path, name);
            problems.error(place, format!("no such field; the fields are {}", known.join(", ")));
        }
        Some(Self { object, path: path.to_owned() })
    }

    /// Returns the path of a field.
    fn path(&self, name: &str) -> String {
        join(&self.path, name)
    }

    /// Returns a text, if the field is present.
    fn text(&self, name: &str, problems: &mut Problems) -> Option<String> {
        match self.object.get(name)? {
            Value::String(text) => Some(text.clone()),
            other => {
                problems.error(self.path(name), unexpected("a text", other));
                None
            }
        }
    }

    /// Returns a required text. If it is missing, reports the problem and returns an empty text.
    fn required(&self, name: &str, problems: &mut Problems) -> String {
        if !self.object.contains_key(name) {
            problems.error(self.path(name), "it is missing");
        }
        self.text(name, problems).unwrap_or_default()
    }

    /// Reads each entry of a list, with its path; none if the field is absent.
    fn each<T>(
        &self,
        name: &str,
        problems: &mut Problems,
        read: impl Fn(&Value, &str, &mut Problems) -> Option<T>,
    ) -> Vec<T> {
        let entries: &[Value] = match self.object.get(name) {
            None => &[],
            Some(Value::Array(entries)) => entries,
            Some(other) => {
                problems.error(self.path(name), unexpected("a list", other));
                &[]
            }
        };
        let path = |index| format!("{}[{index}]", self.path(name));
        let entries = entries.iter().enumerate();
        entries.filter_map(|(index, value)| read(value, &path(index), problems)).collect()
    }

    /// Returns an object; empty if the field is absent.
    fn object(&self, name: &str, problems: &mut Problems) -> Map<String, Value> {
        match self.object.get(name) {
            None => Map::new(),
            Some(Value::Object(object)) => object.clone(),
            Some(other) => {
                problems.error(self.path(name), unexpected("an object", other));
                Map::new()
            }
        }
    }

    /// Deserializes a field as a `T`.
    fn shaped<T: DeserializeOwned>(&self, name: &str, problems: &mut Problems) -> Option<T> {
        match serde_json::from_value(self.object.get(name)?.clone()) {
            Ok(value) => Some(value),
            Err(error) => {
                problems.error(self.path(name), error.to_string());
                None
            }
        }
    }
}

fn unexpected(expected: &str, found: &Value) -> String {
    let kind = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("{expected} is expected, and this is {kind}")
}
