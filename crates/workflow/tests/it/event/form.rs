//! The JSON of every kind of event, and what is refused of any kind.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::canonical;
use piton_workflow::EventKind;
use serde_json::{Value, json};

use super::sample::{at, bodies, parse, to_json};

/// The fields that may be left out, as `kind` and a path.
const OPTIONAL: [&str; 11] = [
    "advance_recorded /data/outcome/blockers/blockers/*/details",
    "advance_recorded /data/outcome/blockers/blockers/*/suggestedFix",
    "decision_trace_appended /data/entries/*/refs",
    "divergence_recorded /data/relatedStepId",
    "gap_recorded /data/details",
    "gap_recorded /data/evidenceRefs",
    "node_output_appended /data/supersedesOutputId",
    "observation_recorded /scope",
    "context_set /data/context/rate",
    "context_set /data/context/slices",
    "context_set /data/context/ticket",
];

/// The fields of what each kind records, in the order of their names, and of the objects inside that rows of the
/// register describe. A field with a `?` may be left out.
const SHAPES: [(&str, &str); 15] = [
    ("advance_recorded /data", "attemptId intent outcome"),
    (
        "advance_recorded /data/outcome/blockers/blockers/*",
        "code details? message pointer suggestedFix?",
    ),
    ("capability_observed /data", "capObsId capability provenance status"),
    ("capability_observed /data/provenance", "detail enforcementGrade kind"),
    ("context_set /data", "context contextId source"),
    ("decision_trace_appended /data", "entries traceId"),
    ("divergence_recorded /data", "divergenceId reason relatedStepId? summary"),
    ("edge_created /data", "cause edgeKind fromNodeId toNodeId"),
    ("gap_recorded /data", "details? evidenceRefs? gapId reason resolution severity summary"),
    ("node_created /data", "nodeKind parentNodeId snapshotRef workflowHash"),
    ("node_output_appended /data", "outputChannel outputId payload supersedesOutputId?"),
    ("observation_recorded /data", "confidence key value"),
    ("preferences_changed /data", "changeId delta effective source"),
    ("run_started /data", "workflowHash workflowId workflowSourceKind workflowSourceRef"),
    ("session_created /data", ""),
];

/// The fields that may be `null`. Anything may be inside a context.
fn nullable(path: &str) -> bool {
    path == "node_created /data/parentNodeId" || path.contains("/data/context/")
}

/// Every object in `value` that has a fixed set of fields, as a JSON pointer.
fn objects(value: &Value) -> Vec<String> {
    fn walk(value: &Value, path: String, found: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                for (key, inner) in object {
                    walk(inner, format!("{path}/{key}"), found);
                }
                found.push(path);
            }
            Value::Array(items) => {
                for (index, inner) in items.iter().enumerate() {
                    walk(inner, format!("{path}/{index}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(value, String::new(), &mut found);
    found.retain(|path| !path.starts_with("/data/context/slices"));
    found
}

/// A path in which `*` stands for a place in a list.
fn general(kind: &Value, path: &str) -> String {
    let starred = |part: &str| {
        if part.parse::<u8>().is_ok() { "*".to_owned() } else { part.to_owned() }
    };
    let parts: Vec<String> = path.split('/').map(starred).collect();
    format!("{} {}", kind.as_str().unwrap(), parts.join("/"))
}

// shows: WR-103, WR-105, WR-106
#[test]
fn the_canonical_form_of_every_kind_of_event_is_fixed() {
    let mut lines = String::new();
    let mut kinds = BTreeSet::new();
    for (index, body) in bodies().into_iter().enumerate() {
        kinds.insert(body.kind());
        let line = canonical::encode(&at(index as u64, body)).unwrap();
        lines.push_str(line.as_str());
        lines.push('\n');
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), EventKind::ALL);
    insta::assert_snapshot!(lines);
}

#[test]
fn every_event_reads_back_as_what_was_written() {
    for body in bodies() {
        let event = at(3, body);
        assert_eq!(parse(&to_json(&event)).unwrap(), event);
        let line = canonical::encode(&event).unwrap();
        let read: piton_workflow::SessionEvent = serde_json::from_str(line.as_str()).unwrap();
        assert_eq!(canonical::encode(&read).unwrap(), line);
    }
}

// shows: WR-103, WR-113, WR-118, WR-124, WR-135, WR-142, WR-161
// shows in part: WR-125 (a cause is required)
// shows in part: WR-413 (remove each)
#[test]
fn a_field_that_is_not_optional_cannot_be_left_out() {
    let mut optional = BTreeSet::new();
    for body in bodies() {
        let whole = to_json(&at(3, body));
        for object in objects(&whole) {
            for key in whole.pointer(&object).unwrap().as_object().unwrap().keys() {
                let mut less = whole.clone();
                less.pointer_mut(&object).unwrap().as_object_mut().unwrap().remove(key);
                if parse(&less).is_ok() {
                    optional.insert(general(&whole["kind"], &format!("{object}/{key}")));
                }
            }
        }
    }
    assert_eq!(optional, OPTIONAL.map(str::to_owned).into());
}

// shows: WR-187, WR-268
// shows: WR-297 (with a_name_outside_of_its_closed_set_is_refused)
// shows: WR-168, WR-177 (with every_kind_has_the_scope_that_it_has_and_no_other)
#[test]
fn every_kind_of_event_has_these_fields_and_no_others() {
    let mut shapes: BTreeMap<String, BTreeMap<String, bool>> = BTreeMap::new();
    let is_listed = |path: &str| SHAPES.iter().any(|(listed, _)| *listed == path);
    for body in bodies() {
        let whole = to_json(&at(3, body));
        for object in objects(&whole) {
            let path = general(&whole["kind"], &object);
            if !is_listed(&path) {
                assert_ne!(object, "/data", "{path} is in no shape");
                continue;
            }
            let mut more = whole.clone();
            more.pointer_mut(&object).unwrap()["extra"] = json!("x");
            assert!(parse(&more).is_err(), "{path}");
            let shape = shapes.entry(path).or_default();
            for key in whole.pointer(&object).unwrap().as_object().unwrap().keys() {
                let mut less = whole.clone();
                less.pointer_mut(&object).unwrap().as_object_mut().unwrap().remove(key);
                *shape.entry(key.clone()).or_default() |= parse(&less).is_ok();
            }
        }
    }
    let marked = |(name, optional): (&String, &bool)| {
        if *optional { format!("{name}?") } else { name.clone() }
    };
    let text =
        |shape: &BTreeMap<String, bool>| shape.iter().map(marked).collect::<Vec<_>>().join(" ");
    let found: Vec<_> = shapes.iter().map(|(path, shape)| (path.as_str(), text(shape))).collect();
    assert_eq!(found, SHAPES.map(|(path, fields)| (path, fields.to_owned())));
}

#[test]
fn a_field_that_may_be_left_out_is_not_null() {
    for body in bodies() {
        let whole = to_json(&at(3, body));
        for object in objects(&whole) {
            for key in whole.pointer(&object).unwrap().as_object().unwrap().keys() {
                let mut other = whole.clone();
                other.pointer_mut(&object).unwrap()[key] = Value::Null;
                let path = general(&whole["kind"], &format!("{object}/{key}"));
                assert_eq!(parse(&other).is_ok(), nullable(&path), "{path}");
            }
        }
    }
}

// shows in part: WR-195 (an open map)
#[test]
fn an_unknown_field_is_refused_in_every_object_but_the_context() {
    for body in bodies() {
        let whole = to_json(&at(3, body));
        for object in objects(&whole) {
            let mut more = whole.clone();
            more.pointer_mut(&object).unwrap()["extra"] = json!("x");
            let allowed = object == "/data/context";
            assert_eq!(parse(&more).is_ok(), allowed, "{} {object}", whole["kind"]);
        }
    }
}

/// Every order of `values`.
fn orders(values: &[Value]) -> Vec<Vec<Value>> {
    if values.is_empty() {
        return vec![vec![]];
    }
    let after = |first: usize| {
        let mut rest = values.to_vec();
        let value = rest.remove(first);
        orders(&rest).into_iter().map(move |rest| [vec![value.clone()], rest].concat())
    };
    (0..values.len()).flat_map(after).collect()
}

#[test]
fn a_list_of_its_values_does_not_stand_for_an_object() {
    for body in bodies() {
        let whole = to_json(&at(3, body));
        for object in objects(&whole) {
            let fields = whole.pointer(&object).unwrap().as_object().unwrap();
            let mut lists = vec![vec![]];
            if object.is_empty() {
                let declared =
                    "v eventId eventIndex sessionId kind dedupeKey scope data timestampMs";
                lists.push(
                    declared
                        .split(' ')
                        .map(|name| fields.get(name).cloned().unwrap_or_default())
                        .collect(),
                );
            } else if fields.len() <= 5 {
                lists.extend(orders(&fields.values().cloned().collect::<Vec<_>>()));
            }
            for list in lists {
                let mut other = whole.clone();
                *other.pointer_mut(&object).unwrap() = list.into();
                assert!(parse(&other).is_err(), "{other}");
            }
        }
    }
}

#[test]
fn a_field_that_stands_twice_is_refused_at_any_depth() {
    for body in bodies() {
        let line = to_json(&at(3, body)).to_string();
        for (field, _) in line.match_indices(":\"") {
            let start = line[..field].rfind('"').unwrap();
            let start = line[..start].rfind('"').unwrap();
            let end = field + 2 + line[field + 2..].find('"').unwrap() + 1;
            let twice = format!("{},{}", &line[..end], &line[start..]);
            let read = serde_json::from_str::<piton_workflow::SessionEvent>(&twice);
            assert!(read.is_err(), "{twice}");
        }
    }
}

// shows: WR-104
#[test]
fn no_payload_repeats_the_ids_of_its_scope() {
    for body in bodies() {
        let whole = to_json(&at(3, body));
        for path in objects(&whole["data"]) {
            let object = whole["data"].pointer(&path).unwrap();
            for own in ["runId", "nodeId", "sessionId"] {
                assert!(object.get(own).is_none(), "{} {path} {own}", whole["kind"]);
            }
        }
    }
}

// shows in part: WR-136, WR-143, WR-153, WR-155, WR-162, WR-169, WR-170, WR-178, WR-188 (refuses others)
// shows in part: WR-194, WR-269, WR-297 (refuses others)
#[test]
fn a_name_outside_of_its_closed_set_is_refused() {
    let names = [
        "intent",
        "outputChannel",
        "key",
        "confidence",
        "source",
        "status",
        "kind",
        "severity",
        "reason",
        "code",
        "capability",
        "nodeKind",
        "edgeKind",
        "workflowSourceKind",
        "type",
        "payloadKind",
        "category",
        "detail",
        "result",
        "attemptContext",
        "failureCode",
        "claimedBy",
        "claim",
        "enforcementGrade",
        "autonomy",
        "riskPolicy",
    ];
    let mut seen = BTreeSet::new();
    for body in bodies() {
        let whole = to_json(&at(3, body));
        for object in objects(&whole) {
            for name in names {
                let mut other = whole.clone();
                match other.pointer_mut(&object).unwrap().get_mut(name) {
                    Some(value) if value.is_string() => *value = json!("Unheard_Of"),
                    _ => continue,
                }
                seen.insert(name);
                assert!(parse(&other).is_err(), "{} {object}/{name}", whole["kind"]);
            }
        }
    }
    assert_eq!(seen, names.into());
}
