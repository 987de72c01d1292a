//! What is in a bundle.

use std::collections::BTreeSet;

use piton_core::{Code, EventIndex, NodeId, SnapshotRef};
use piton_store::memory::MemoryTable;
use piton_store::port::BlobNamespace;
use piton_store::record::Record;
use piton_store::testing::{SimDisk, WatchedJournal};
use piton_store::{AppendPlan, NewBlob};
use piton_workflow::bundle::Bundle;
use piton_workflow::event::{NodeCreated, NodeScope};
use piton_workflow::{EventBody, EventKind, NodeKind, SessionPorts, transfer};
use serde_json::Value;

use super::store::{Store, block_on, producer};
use super::tale::Tale;
use crate::token::samples::ready;

// shows: WR-463, WR-466
#[test]
fn a_bundle_holds_the_session_as_it_is_stored() {
    let disk = SimDisk::new();
    let stores = [Store::in_memory(1), Store::on(&disk, &MemoryTable::new(), 1)];
    for store in stores {
        let tale = Tale::rich(7);
        store.write(&tale);
        let bundle = store.export(tale.session);
        let content = bundle.content();
        let kinds: BTreeSet<EventKind> =
            content.events.iter().map(|event| event.body().kind()).collect();
        assert_eq!(kinds.len(), EventKind::ALL.len(), "the tale has every kind of event");
        assert_eq!((content.session, &content.events), (tale.session, &tale.events()));
        let ends: Vec<EventIndex> = content
            .manifest
            .iter()
            .filter_map(|record| match record {
                Record::SegmentClosed(close) => Some(close.last_event_index),
                Record::SnapshotPinned(_) => None,
            })
            .collect();
        let written: Vec<EventIndex> =
            tale.plans.iter().map(|plan| plan.last().unwrap().index()).collect();
        assert_eq!(ends, written);
        for (namespace, count) in [
            (BlobNamespace::Snapshots, content.snapshots.len()),
            (BlobNamespace::PinnedWorkflows, content.pinned_workflows.len()),
            (BlobNamespace::Artifacts, content.artifacts.len()),
        ] {
            assert_eq!(store.count(namespace), count, "{namespace}");
        }
        let text = bundle.encode().unwrap();
        assert_eq!(Bundle::read(text.as_bytes()).unwrap(), bundle);
    }
}

#[test]
fn two_exports_differ_in_their_id_and_time_only() {
    let (store, tale) = (Store::in_memory(1), Tale::rich(7));
    store.write(&tale);
    let first = store.export(tale.session);
    store.clock.advance(std::time::Duration::from_hours(1));
    let second = store.export(tale.session);
    assert_ne!(first.origin().bundle_id, second.origin().bundle_id);
    assert_ne!(first.origin().exported_at, second.origin().exported_at);
    assert_eq!(first.content(), second.content());
    assert_eq!(first.integrity(), second.integrity());
}

// shows: WR-467
#[test]
fn there_is_no_token_in_a_bundle() {
    let (store, tale) = (Store::in_memory(1), Tale::rich(7));
    store.write(&tale);
    let text = store.export(tale.session).encode().unwrap();
    let value: Value = serde_json::from_slice(text.as_bytes()).unwrap();
    assert!(!has_token(&value));
    let token = serde_json::json!({"a": [{"b": "use ack.v1.e30.AAAA"}]});
    assert!(has_token(&token), "the search finds one if there is one");
}

fn has_token(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            ["st.v1.", "ack.v1.", "chk.v1."].iter().any(|prefix| text.contains(prefix))
        }
        Value::Array(items) => items.iter().any(has_token),
        Value::Object(fields) => fields.values().any(has_token),
        _ => false,
    }
}

#[test]
fn what_is_appended_during_an_export_is_not_half_in_the_bundle() {
    let (store, mut tale) = (Store::in_memory(1), Tale::rich(7));
    let newest = tale.plans.pop().unwrap();
    store.write(&tale);
    let before = store.export(tale.session);
    for blob in &tale.blobs {
        ready(store.blobs.put(blob.namespace(), blob.bytes().to_vec())).unwrap();
    }
    let journal = WatchedJournal::new(store.journal.as_ref(), |method, stream| {
        if method == "records" {
            let lease = ready(store.journal.lease(stream)).unwrap();
            let plan = AppendPlan::new(newest.clone());
            ready(store.journal.append(&lease.writer(), plan)).unwrap();
        }
    });
    let ports = SessionPorts { journal: &journal, ..store.ports() };
    let bundle = ready(transfer::export(ports, tale.session, producer())).unwrap();
    assert_eq!(bundle.content(), before.content());
    assert_eq!(store.events(tale.session).len(), before.content().events.len() + newest.len());
}

#[test]
fn a_session_that_is_damaged_incomplete_or_absent_is_not_exported() {
    let (disk, notes) = (SimDisk::new(), MemoryTable::new());
    let (store, tale) = (Store::on(&disk, &notes, 1), Tale::rich(7));
    let export = || block_on(transfer::export(store.ports(), tale.session, producer()));
    assert_eq!(export().unwrap_err().code(), Code::SessionNotFound);
    store.write(&tale);
    export().unwrap();
    let artifact = tale.blobs.iter().find(|blob| blob.namespace() == BlobNamespace::Artifacts);
    let hex = artifact.unwrap().digest().hex();
    let path = format!("/artifacts/{}/{}", &hex[..2], &hex[2..]);
    disk.damage(std::path::Path::new(&path), |bytes| bytes[0] ^= 1);
    assert_eq!(export().unwrap_err().code(), Code::StoreCorruptBlob);
    let manifest = format!("/sessions/{}/manifest.jsonl", tale.session);
    disk.damage(std::path::Path::new(&manifest), |bytes| bytes[0] = b'[');
    assert_eq!(export().unwrap_err().code(), Code::SessionNotHealthy);
}

#[test]
fn a_session_with_a_snapshot_that_is_none_is_not_exported() {
    let (store, mut tale) = (Store::in_memory(1), Tale::new(3));
    let root = tale.run();
    let blob = NewBlob::new(BlobNamespace::Snapshots, b"{}".to_vec());
    let at = NodeScope { run: root.run, node: NodeId::from_bytes([9; 16]) };
    let node = NodeCreated {
        node_kind: NodeKind::Step,
        parent_node_id: Some(root.node),
        workflow_hash: tale.workflow.workflow_hash(),
        snapshot_ref: SnapshotRef::new(blob.digest()),
    };
    tale.blobs.push(blob);
    tale.push(EventBody::NodeCreated(at, node));
    store.write(&tale);
    let error = block_on(transfer::export(store.ports(), tale.session, producer())).unwrap_err();
    assert_eq!(error.code(), Code::StoreInvariantViolation);
    assert!(error.envelope().message.contains("session/snapshots/sha256:"), "{error}");
}
