//! Bundles whose digests fit and whose parts do not.

use piton_core::{Code, Digest, FileBytes, SessionId, canonical};
use piton_store::bounds::PLAN_EVENTS_MAX;
use piton_store::record::{Record, segment_path};
use piton_workflow::bundle::{Bundle, BundleError, ManifestProblem};
use piton_workflow::event::OutputPayload;
use serde_json::{Value, json};

use super::samples::{attest, list, object, refused, reseal};
use crate::carry::store::Store;
use crate::carry::tale::Tale;

fn first_key(value: &mut Value, map: &str) -> String {
    object(value, &format!("/session/{map}")).keys().next().unwrap().clone()
}

// shows in part: WR-473 (the part about missing parts)
#[test]
fn a_snapshot_or_workflow_that_is_gone_is_named() {
    for (map, code) in [
        ("snapshots", Code::BundleMissingSnapshot),
        ("pinnedWorkflows", Code::BundleMissingPinnedWorkflow),
    ] {
        for sealed in [false, true] {
            let mut missing = String::new();
            let error = refused(code, |value| {
                missing = first_key(value, map);
                object(value, &format!("/session/{map}")).remove(&missing);
                if sealed {
                    reseal(value);
                }
            });
            assert!(error.to_string().contains(&missing), "{error}");
        }
    }
}

#[test]
fn what_no_event_refers_to_is_refused() {
    let error = refused(Code::BundleInvalidFormat, |value| {
        let key = format!("sha256:{}", "1".repeat(64));
        object(value, "/session/artifacts").insert(key, json!("AAAA"));
        reseal(value);
    });
    assert!(error.to_string().contains("no event refers to"), "{error}");
}

#[test]
fn an_artifact_in_another_encoding_is_refused() {
    for text in ["AAA", "AA==\n", "AB==", "_-8=", "%"] {
        refused(Code::BundleInvalidFormat, |value| {
            let key = first_key(value, "artifacts");
            object(value, "/session/artifacts").insert(key, json!(text));
            reseal(value);
        });
    }
}

#[test]
fn a_snapshot_that_names_what_its_workflow_does_not_have_is_refused() {
    let error = refused(Code::BundleInvalidFormat, |value| {
        // The workflow loses its last step; everything that names the workflow follows.
        let old = first_key(value, "pinnedWorkflows");
        let mut workflow = object(value, "/session/pinnedWorkflows").remove(&old).unwrap();
        workflow["steps"].as_array_mut().unwrap().pop();
        workflow["sequence"].as_array_mut().unwrap().pop();
        let (new, _) = super::samples::digest(&workflow);
        object(value, "/session/pinnedWorkflows").insert(new.clone(), workflow);
        let mut text = value.to_string().replace(&old, &new);
        let snapshots = value["session"]["snapshots"].as_object().unwrap().clone();
        for (key, snapshot) in snapshots {
            let renamed: Value =
                serde_json::from_str(&snapshot.to_string().replace(&old, &new)).unwrap();
            text = text.replace(&key, &super::samples::digest(&renamed).0);
        }
        *value = serde_json::from_str(&text).unwrap();
        attest(value);
    });
    assert!(error.to_string().contains("`report`"), "{error}");
}

// shows in part: WR-473 (the part about versions)
#[test]
fn a_part_of_another_version_is_refused_as_such() {
    refused(Code::BundleUnsupportedVersion, |value| {
        list(value, "/session/manifest")[0]["v"] = json!(2);
        reseal(value);
    });
    refused(Code::BundleUnsupportedVersion, |value| {
        let key = first_key(value, "pinnedWorkflows");
        value["session"]["pinnedWorkflows"][&key]["schemaVersion"] = json!(2);
        reseal(value);
    });
}

// shows in part: WR-473 (the part about events)
#[test]
fn events_that_are_no_log_are_refused() {
    let changes: [fn(&mut Value); 6] = [
        |value| list(value, "/session/events").swap(3, 4),
        |value| list(value, "/session/events").clear(),
        |value| {
            let first = value["session"]["events"][0].clone();
            list(value, "/session/events").insert(1, first);
        },
        |value| value["session"]["events"][4]["eventIndex"] = json!(5),
        |value| {
            let id = value["session"]["events"][0]["eventId"].clone();
            value["session"]["events"][1]["eventId"] = id;
        },
        |value| value["session"]["sessionId"] = json!(SessionId::from_bytes([9; 16])),
    ];
    for change in changes {
        refused(Code::BundleEventOrderInvalid, |value| {
            change(value);
            if value["session"]["events"].as_array().is_some_and(|events| !events.is_empty()) {
                attest(value);
            } else {
                reseal(value);
            }
        });
    }
}

#[test]
fn what_an_event_names_comes_in_the_same_plan() {
    // The plan of an advance is cut in two before its edge.
    let error = refused(Code::BundleEventOrderInvalid, |value| {
        let records = list(value, "/session/manifest");
        let place = records.iter().rposition(|record| record["kind"] == "segment_closed").unwrap();
        let first = records[place]["firstEventIndex"].as_u64().unwrap();
        records[place]["lastEventIndex"] = json!(first + 1);
        reseal(value);
    });
    assert!(matches!(error, BundleError::EventOrder(_)), "{error}");
}

// shows: WR-473 (with a_snapshot_or_workflow_that_is_gone_is_named, a_part_of_another_version_is_refused_as_such, events_that_are_no_log_are_refused, an_artifact_that_is_gone_or_has_another_length_is_refused, what_is_not_a_bundle_at_all_is_refused)
#[test]
fn control_records_that_do_not_attest_the_events_are_refused() {
    type Case = (fn(&mut Vec<Value>), fn(&ManifestProblem) -> bool);
    let cases: [Case; 9] = [
        (|records| records.swap(0, 1), |found| matches!(found, ManifestProblem::OutOfOrder)),
        (|records| drop(records.remove(1)), |found| matches!(found, ManifestProblem::OutOfOrder)),
        (
            |records| records[0]["sessionId"] = json!("sess_other"),
            |found| matches!(found, ManifestProblem::OtherSession),
        ),
        (
            |records| records[0]["firstEventIndex"] = json!(1),
            |found| matches!(found, ManifestProblem::Gap),
        ),
        (
            |records| {
                let last = records.iter().rposition(|record| record["kind"] == "segment_closed");
                records[last.unwrap()]["lastEventIndex"] = json!(10_000);
            },
            |found| matches!(found, ManifestProblem::BeyondEvents),
        ),
        (
            |records| records[0]["segmentRelPath"] = json!("events/0.jsonl"),
            |found| matches!(found, ManifestProblem::Path),
        ),
        (
            |records| records[1]["eventIndex"] = json!(0),
            |found| matches!(found, ManifestProblem::StrayPin),
        ),
        (|records| drop(records.pop()), |found| matches!(found, ManifestProblem::MissingPin)),
        (Vec::clear, |found| matches!(found, ManifestProblem::Unattested { .. })),
    ];
    for (number, (change, expected)) in cases.into_iter().enumerate() {
        let error = refused(Code::BundleManifestOrderInvalid, |value| {
            change(list(value, "/session/manifest"));
            reseal(value);
        });
        let BundleError::ManifestOrder { problem, .. } = &error else { panic!("{error}") };
        assert!(expected(problem), "case {number}: {error}");
    }
}

#[test]
fn a_segment_with_another_digest_is_refused() {
    refused(Code::BundleIntegrityFailed, |value| {
        list(value, "/session/manifest")[0]["bytes"] = json!(1);
        reseal(value);
    });
}

#[test]
fn a_plan_that_the_store_would_not_take_is_refused_before_it_is_tried() {
    let (store, mut tale) = (Store::in_memory(1), Tale::new(3));
    let root = tale.run();
    tale.plans.push(Vec::new());
    for number in 0..PLAN_EVENTS_MAX {
        tale.output(root, None, OutputPayload::notes(&number.to_string()));
    }
    store.write(&tale);
    let bundle = store.export(tale.session);
    let mut content = bundle.content().clone();
    // All events are said to have come in one plan.
    let mut lines = Vec::new();
    for event in &content.events {
        canonical::encode_into(event, &mut lines).unwrap();
        lines.push(b'\n');
    }
    content.manifest.pop();
    let Record::SegmentClosed(close) = &mut content.manifest[0] else { panic!("a plan is first") };
    close.last_event_index = content.events.last().unwrap().index();
    close.segment_rel_path = segment_path(close.first_event_index, close.last_event_index);
    close.sha256 = Digest::of(&FileBytes(&lines));
    close.bytes = lines.len() as u64;
    let error = Bundle::new(bundle.origin().clone(), content).unwrap_err();
    let BundleError::ManifestOrder { problem, .. } = error else { panic!("{error}") };
    assert_eq!(problem, ManifestProblem::PlanTooLarge);
}
