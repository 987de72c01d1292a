//! The digests of a bundle's parts.

use std::collections::BTreeSet;

use piton_core::Code;
use serde_json::{Value, json};

use super::samples::{digest, list, object, parts, refused, reseal, value};

// shows: WR-007, WR-470
#[test]
fn each_part_has_the_digest_of_its_canonical_json_and_nothing_else_has_one() {
    let value = value();
    let entries = value["integrity"]["entries"].as_array().unwrap();
    let named: BTreeSet<&str> =
        entries.iter().map(|entry| entry["path"].as_str().unwrap()).collect();
    let parts = parts(&value);
    assert_eq!(named.len(), entries.len());
    assert_eq!(named, parts.iter().map(|(path, _)| path.as_str()).collect());
    for prefix in ["session/snapshots/", "session/pinnedWorkflows/", "session/artifacts/"] {
        assert!(named.iter().any(|path| path.starts_with(prefix)), "{prefix}");
    }
    for (path, part) in &parts {
        let entry = entries.iter().find(|entry| entry["path"] == **path).unwrap();
        let (sha256, bytes) = digest(part);
        assert_eq!((&entry["sha256"], &entry["bytes"]), (&json!(sha256), &json!(bytes)), "{path}");
    }
}

// shows: WR-470
#[test]
fn a_digest_that_is_missing_repeated_or_of_nothing_is_refused() {
    let count = value()["integrity"]["entries"].as_array().unwrap().len();
    for place in 0..count {
        let error = refused(Code::BundleIntegrityFailed, |value| {
            list(value, "/integrity/entries").remove(place);
        });
        assert!(error.to_string().contains("has no digest"), "{error}");
    }
    refused(Code::BundleIntegrityFailed, |value| {
        let first = value["integrity"]["entries"][0].clone();
        list(value, "/integrity/entries").push(first);
    });
    refused(Code::BundleIntegrityFailed, |value| {
        let mut last = list(value, "/integrity/entries").last().unwrap().clone();
        last["path"] = format!("session/artifacts/sha256:{}", "0".repeat(64)).into();
        list(value, "/integrity/entries").push(last);
    });
}

#[test]
fn a_part_that_differs_from_its_digest_is_refused() {
    let count = value()["integrity"]["entries"].as_array().unwrap().len();
    for place in 0..count {
        let other = format!("sha256:{}", "0".repeat(64));
        for (field, wrong) in [("sha256", json!(other)), ("bytes", json!(7))] {
            refused(Code::BundleIntegrityFailed, |value| {
                value["integrity"]["entries"][place][field] = wrong.clone();
            });
        }
    }
    let error = refused(Code::BundleIntegrityFailed, |value| {
        value["session"]["events"][3]["timestampMs"] = json!(1);
    });
    assert!(error.to_string().contains("`session/events` was changed"), "{error}");
}

#[test]
fn a_part_under_the_name_of_another_is_refused_even_with_digests_that_fit() {
    for map in ["snapshots", "pinnedWorkflows", "artifacts"] {
        let path = format!("/session/{map}");
        refused(Code::BundleIntegrityFailed, |value| {
            let parts = object(value, &path);
            let keys: Vec<String> = parts.keys().cloned().collect();
            match keys.as_slice() {
                [only] => {
                    parts[only]["name"] = json!("Another workflow");
                }
                [one, two, ..] => {
                    let part: Value = parts[one].clone();
                    parts[two] = part;
                }
                [] => panic!("the bundle has {map}"),
            }
            reseal(value);
        });
    }
}

// shows in part: WR-473 (the part about artifacts)
#[test]
fn an_artifact_that_is_gone_or_has_another_length_is_refused() {
    let first =
        |value: &mut Value| object(value, "/session/artifacts").keys().next().unwrap().clone();
    refused(Code::BundleIntegrityFailed, |value| {
        let key = first(value);
        object(value, "/session/artifacts").remove(&key);
        reseal(value);
    });
    refused(Code::BundleIntegrityFailed, |value| {
        object(value, "/session").remove("artifacts");
        reseal(value);
    });
    let error = refused(Code::BundleIntegrityFailed, |value| {
        let events = list(value, "/session/events");
        let output =
            events.iter_mut().find(|event| event["data"]["payload"]["byteLength"].is_u64());
        output.unwrap()["data"]["payload"]["byteLength"] = json!(1);
        super::samples::attest(value);
    });
    assert!(error.to_string().contains("length"), "{error}");
}
