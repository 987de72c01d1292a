//! Reading a description from JSON, with all problems at once.

use piton_core::refuse_lost_numbers;
use serde_json::Value;

use super::description::{Description, EdgeDescription, NodeDescription, VERSION};
use super::fields::Fields;
use crate::Key;
use crate::flow::action::DEFAULT;
use crate::flow::bounds::{CONFIG_BYTES_MAX, DEPTH_MAX};
use crate::flow::graph::{Mappings, too_deep};
use crate::flow::problem::Problems;

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
    let nodes = fields.list("nodes", problems);
    let nodes = nodes.iter().enumerate().filter_map(|(index, value)| {
        node(value, &format!("{}[{index}]", fields.path("nodes")), problems)
    });
    let nodes = nodes.collect();
    let edges = fields.list("edges", problems);
    let edges = edges.iter().enumerate().filter_map(|(index, value)| {
        edge(value, &format!("{}[{index}]", fields.path("edges")), problems)
    });
    let edges = edges.collect();
    let mut subflows = Vec::new();
    for (index, value) in fields.list("subflows", problems).iter().enumerate() {
        let path = format!("{}[{index}]", fields.path("subflows"));
        subflows.extend(flow(value, &path, depth + 1, problems));
    }
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
