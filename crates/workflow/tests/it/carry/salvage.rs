//! What is saved of a damaged session.

use std::path::Path;

use piton_core::Code;
use piton_store::Health;
use piton_store::memory::MemoryTable;
use piton_store::port::BlobNamespace;
use piton_store::testing::SimDisk;
use piton_workflow::bundle::{
    Bundle, BundleError, EntryPath, FormatProblem, InspectionBundle, Needed,
};
use piton_workflow::transfer;
use serde_json::Value;

use super::store::{Store, block_on, producer};
use super::tale::Tale;

fn salvage(store: &Store, tale: &Tale) -> InspectionBundle {
    block_on(transfer::salvage(store.ports(), tale.session, producer())).unwrap()
}

fn json(bundle: &InspectionBundle) -> Value {
    serde_json::from_slice(bundle.encode().unwrap().as_bytes()).unwrap()
}

/// A session whose third plan is damaged, and the events before it.
fn damaged() -> (SimDisk, Store, Tale, usize) {
    let disk = SimDisk::new();
    let (store, tale) = (Store::on(&disk, &MemoryTable::new(), 1), Tale::rich(7));
    store.write(&tale);
    let third = &tale.plans[2];
    let (first, last) = (third[0].index().get(), third.last().unwrap().index().get());
    let segment = format!("/sessions/{}/events/{first:08}-{last:08}.jsonl", tale.session);
    disk.damage(Path::new(&segment), |bytes| bytes[20] ^= 1);
    (disk, store, tale, usize::try_from(first).unwrap())
}

// shows: WR-094
// shows: WR-095 (with nothing_is_saved_of_a_session_without_a_valid_beginning_and_that_is_said, a_damaged_session_is_explained_and_rolled_back_to_what_is_whole)
// shows in part: WR-433 (the label)
#[test]
fn exactly_the_valid_events_are_saved_and_it_is_said_that_they_are_not_all() {
    let (_, store, tale, valid) = damaged();
    let bundle = salvage(&store, &tale);
    assert_eq!(bundle.content.events, tale.events()[..valid]);
    assert!(matches!(bundle.salvage.health, Health::CorruptTail { .. }));
    let value = json(&bundle);
    let block = &value["salvage"];
    assert_eq!(block["eventsValid"], valid);
    assert_eq!(block["health"]["kind"], "corrupt_tail");
    assert_eq!(block["health"]["reason"], "segment_altered");
    let words = block["reason"].as_str().unwrap();
    assert!(words.contains("a segment was changed"), "{words}");
    assert_eq!(block["unreadable"], serde_json::json!([]));
    assert_eq!(value["session"]["events"].as_array().unwrap().len(), valid);
    assert!(value["session"].get("manifest").is_none(), "nothing is attested");
    // Nothing that only later events refer to is saved along with them.
    let needed = Needed::by(&tale.events()[..valid]);
    assert!(needed.snapshots.len() < Needed::by(&tale.events()).snapshots.len());
    assert_eq!(bundle.content.snapshots.len(), needed.snapshots.len());
}

// shows in part: WR-096, WR-433 (the part about imports)
#[test]
fn what_was_salvaged_is_not_imported() {
    let (_, store, tale, _) = damaged();
    let bundle = salvage(&store, &tale);
    let error = Bundle::read(bundle.encode().unwrap().as_bytes()).unwrap_err();
    assert_eq!(error, BundleError::Format(FormatProblem::Salvaged));
    let envelope = error.envelope();
    assert_eq!(envelope.code, Code::BundleInvalidFormat);
    assert!(envelope.message.contains("salvaged"), "{}", envelope.message);
    assert!(envelope.suggestion.contains("piton session repair"), "{}", envelope.suggestion);
    // Without its mark it is no bundle either.
    let mut value = json(&bundle);
    value.as_object_mut().unwrap().remove("salvage");
    let error = Bundle::read(value.to_string().as_bytes()).unwrap_err();
    assert_eq!(error.code(), Code::BundleInvalidFormat);
}

#[test]
fn what_cannot_be_read_is_listed_and_the_rest_is_saved() {
    let (disk, store, tale, _) = damaged();
    let workflow = tale.workflow.workflow_hash();
    let hex = workflow.digest().hex();
    let path = format!("/workflows/pinned/{}/{}", &hex[..2], &hex[2..]);
    disk.damage(Path::new(&path), |bytes| bytes[0] ^= 1);
    let bundle = salvage(&store, &tale);
    assert_eq!(bundle.salvage.unreadable, [EntryPath::PinnedWorkflow(workflow)]);
    assert!(bundle.content.pinned_workflows.is_empty());
    assert!(!bundle.content.snapshots.is_empty());
    assert!(!bundle.content.artifacts.is_empty());
    assert!(store.count(BlobNamespace::Snapshots) >= bundle.content.snapshots.len());
}

// shows in part: WR-095 (no prefix at all)
#[test]
fn nothing_is_saved_of_a_session_without_a_valid_beginning_and_that_is_said() {
    let disk = SimDisk::new();
    let (store, tale) = (Store::on(&disk, &MemoryTable::new(), 1), Tale::rich(7));
    store.write(&tale);
    let manifest = format!("/sessions/{}/manifest.jsonl", tale.session);
    disk.damage(Path::new(&manifest), |bytes| bytes[0] = b'[');
    let bundle = salvage(&store, &tale);
    assert_eq!(bundle.salvage.events_valid, 0);
    assert!(bundle.content.events.is_empty());
    assert!(matches!(bundle.salvage.health, Health::CorruptHead { .. }));
    let value = json(&bundle);
    assert_eq!(value["salvage"]["health"]["kind"], "corrupt_head");
    assert_eq!(value["session"]["events"], serde_json::json!([]));
}

#[test]
fn salvaging_changes_nothing() {
    let (disk, store, tale, _) = damaged();
    let manifest = format!("/sessions/{}/manifest.jsonl", tale.session);
    let read = || disk.contents()[Path::new(&manifest)].clone();
    let before = read();
    salvage(&store, &tale);
    assert_eq!(read(), before);
}
