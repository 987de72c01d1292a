//! A bundle as JSON, to be changed by tests.

use piton_core::{Code, Digest, FileBytes, canonical};
use piton_workflow::bundle::{Bundle, BundleError};
use serde_json::{Map, Value, json};

use crate::carry::store::Store;
use crate::carry::tale::Tale;

/// The bundle of a session with everything in it.
pub(super) fn bundle() -> Bundle {
    let (store, tale) = (Store::in_memory(1), Tale::rich(7));
    store.write(&tale);
    store.export(tale.session)
}

pub(super) fn value() -> Value {
    serde_json::from_slice(bundle().encode().unwrap().as_bytes()).unwrap()
}

pub(super) fn read(value: &Value) -> Result<Bundle, BundleError> {
    Bundle::read(value.to_string().as_bytes())
}

/// Checks that the bundle is refused with `code` after `change`.
#[track_caller]
pub(super) fn refused(code: Code, change: impl FnOnce(&mut Value)) -> BundleError {
    let mut value = value();
    change(&mut value);
    let error = read(&value).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    let envelope = error.envelope();
    assert!(envelope.message.ends_with('.') && !envelope.suggestion.is_empty(), "{envelope}");
    error
}

pub(super) fn object<'a>(value: &'a mut Value, path: &str) -> &'a mut Map<String, Value> {
    value.pointer_mut(path).unwrap().as_object_mut().unwrap()
}

pub(super) fn list<'a>(value: &'a mut Value, path: &str) -> &'a mut Vec<Value> {
    value.pointer_mut(path).unwrap().as_array_mut().unwrap()
}

/// The digest and length of a value's canonical JSON.
pub(super) fn digest(value: &Value) -> (String, usize) {
    let text = canonical::encode(value).unwrap();
    (Digest::of(&text).to_string(), text.len())
}

/// The path of each part, and the part.
pub(super) fn parts(value: &Value) -> Vec<(String, Value)> {
    let session = &value["session"];
    let mut parts = vec![
        ("session/events".to_owned(), session["events"].clone()),
        ("session/manifest".to_owned(), session["manifest"].clone()),
    ];
    for map in ["snapshots", "pinnedWorkflows", "artifacts"] {
        for (key, part) in session[map].as_object().into_iter().flatten() {
            parts.push((format!("session/{map}/{key}"), part.clone()));
        }
    }
    parts
}

/// Makes the digests those of the parts, as somebody would who wants a changed bundle to pass.
pub(super) fn reseal(value: &mut Value) {
    let entry = |(path, part): (String, Value)| {
        let (sha256, bytes) = digest(&part);
        json!({"path": path, "sha256": sha256, "bytes": bytes})
    };
    value["integrity"]["entries"] = parts(value).into_iter().map(entry).collect();
}

/// Makes the control records attest the events as they are, and the digests those of the parts.
pub(super) fn attest(value: &mut Value) {
    let events = value["session"]["events"].as_array().unwrap().clone();
    for record in list(value, "/session/manifest") {
        if record["kind"] == "segment_closed" {
            let place = |field: &str| usize::try_from(record[field].as_u64().unwrap()).unwrap();
            let (first, last) = (place("firstEventIndex"), place("lastEventIndex"));
            let mut lines = Vec::new();
            for event in &events[first..=last.min(events.len() - 1)] {
                canonical::encode_into(event, &mut lines).unwrap();
                lines.push(b'\n');
            }
            record["bytes"] = lines.len().into();
            record["sha256"] = Digest::of(&FileBytes(&lines)).to_string().into();
        }
    }
    reseal(value);
}
