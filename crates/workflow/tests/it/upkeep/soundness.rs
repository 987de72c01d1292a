//! Reports to people about a session's soundness.

use std::path::Path;

use piton_core::Code;
use piton_store::memory::MemoryTable;
use piton_store::testing::SimDisk;
use piton_workflow::maintenance::{MaintenanceError, RepairReport, VerifyReport, repair, verify};

use crate::carry::store::{Store, block_on};
use crate::carry::tale::Tale;

fn stored() -> (SimDisk, Store, Tale) {
    let disk = SimDisk::new();
    let (store, tale) = (Store::on(&disk, &MemoryTable::new(), 1), Tale::rich(7));
    store.write(&tale);
    (disk, store, tale)
}

fn check(store: &Store, tale: &Tale) -> Result<VerifyReport, MaintenanceError> {
    block_on(verify(store.journal.as_ref(), store.blobs.as_ref(), tale.session))
}

fn fix(store: &Store, tale: &Tale) -> Result<RepairReport, MaintenanceError> {
    block_on(repair(store.journal.as_ref(), store.blobs.as_ref(), tale.session))
}

#[test]
fn a_sound_session_is_called_sound_and_left_as_it_is() {
    let (_, store, tale) = stored();
    let found = check(&store, &tale).unwrap();
    assert!(found.is_sound());
    insta::assert_snapshot!("verify_sound", found.summary());
    let done = fix(&store, &tale).unwrap();
    insta::assert_snapshot!("repair_sound", done.summary());
    assert!(store.events(tale.session) == tale.events());
}

// shows in part: WR-095 (a check)
#[test]
fn a_damaged_session_is_explained_and_rolled_back_to_what_is_whole() {
    let (disk, store, tale) = stored();
    let last = tale.plans.last().unwrap();
    let (first, end) = (last[0].index().get(), last.last().unwrap().index().get());
    let segment = format!("/sessions/{}/events/{first:08}-{end:08}.jsonl", tale.session);
    disk.damage(Path::new(&segment), |bytes| bytes[20] ^= 1);
    let found = check(&store, &tale).unwrap();
    assert!(!found.is_sound() && !found.stored.health.is_healthy());
    assert_eq!(found.stored.events, first, "no event behind the damage counts");
    insta::assert_snapshot!("verify_damaged", found.summary());
    let done = fix(&store, &tale).unwrap();
    insta::assert_snapshot!("repair_damaged", done.summary());
    assert_eq!(store.events(tale.session).len() as u64, first);
    assert!(check(&store, &tale).unwrap().is_sound());
    store.export(tale.session);
}

#[test]
fn a_session_of_a_later_version_is_not_touched() {
    let (disk, store, tale) = stored();
    let manifest = format!("/sessions/{}/manifest.jsonl", tale.session);
    disk.damage(Path::new(&manifest), |bytes| {
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        bytes.splice(..end, *br#"{"v":2}"#);
    });
    let found = check(&store, &tale).unwrap();
    insta::assert_snapshot!("verify_later_version", found.summary());
    let refused = fix(&store, &tale).unwrap_err();
    assert_eq!(refused.code(), Code::StoreUnsupportedVersion);
}

#[test]
fn a_session_that_contradicts_itself_is_not_called_sound() {
    let store = Store::in_memory(1);
    let (tale, mut other) = (Tale::rich(7), Tale::rich(7));
    // An event too few: an edge that its attempt promised.
    other.plans = vec![tale.plans[0].clone(), tale.plans[1][..2].to_vec()];
    store.write(&other);
    let found = check(&store, &tale).unwrap();
    assert!(found.stored.health.is_healthy() && !found.is_sound());
    insta::assert_snapshot!("verify_contradiction", found.summary());
}

#[test]
fn a_session_that_is_not_there_is_not_found() {
    let (store, tale) = (Store::in_memory(1), Tale::new(1));
    let missing = check(&store, &tale).unwrap_err();
    assert_eq!(missing.envelope().code, Code::SessionNotFound);
}

/// Every file of a namespace of blobs.
fn blobs_in(disk: &SimDisk, namespace: &str) -> Vec<std::path::PathBuf> {
    let files = disk.contents().into_iter();
    let blobs = files.filter(|(file, bytes)| file.starts_with(namespace) && !bytes.is_empty());
    blobs.map(|(file, _)| file).collect()
}

#[test]
fn content_that_a_session_refers_to_is_checked_and_cannot_be_repaired() {
    for namespace in ["/snapshots", "/artifacts", "/workflows/pinned"] {
        let (disk, store, tale) = stored();
        let bundle = store.export(tale.session);
        let blobs = blobs_in(&disk, namespace);
        assert!(!blobs.is_empty(), "{namespace}");
        disk.damage(&blobs[0], |bytes| bytes[0] ^= 1);
        let found = check(&store, &tale).unwrap();
        assert!(!found.is_sound() && found.broken.len() == 1, "{namespace}: {found:?}");
        let done = fix(&store, &tale).unwrap();
        assert!(!done.is_sound() && done.done.backup.is_none(), "{namespace}: {done:?}");
        let name = namespace.rsplit('/').next().unwrap();
        insta::assert_snapshot!(format!("repair_{name}"), done.summary());
        // As it says: importing a bundle writes the content anew.
        store.import(&bundle);
        assert!(check(&store, &tale).unwrap().is_sound(), "{namespace}");
    }
}

#[test]
fn a_session_whose_control_records_are_lost_is_rebuilt_from_its_events() {
    let (disk, store, tale) = stored();
    let manifest = format!("/sessions/{}/manifest.jsonl", tale.session);
    disk.damage(Path::new(&manifest), |bytes| bytes[20..40].fill(b'#'));
    let found = check(&store, &tale).unwrap().summary();
    assert!(found.contains("a repair brings back 48 events"), "{found}");
    let done = fix(&store, &tale).unwrap();
    assert!(done.is_sound());
    assert!(done.summary().contains("were rebuilt from the events"), "{}", done.summary());
    assert!(store.events(tale.session) == tale.events());
}

#[test]
fn a_session_whose_beginning_is_lost_is_moved_aside_whole_and_says_where_to() {
    let (disk, store, tale) = stored();
    let manifest = format!("/sessions/{}/manifest.jsonl", tale.session);
    disk.damage(Path::new(&manifest), |bytes| bytes[20..40].fill(b'#'));
    let end = tale.plans[0].last().unwrap().index().get();
    let segment = format!("/sessions/{}/events/00000000-{end:08}.jsonl", tale.session);
    disk.damage(Path::new(&segment), |bytes| bytes[..20].fill(b'#'));
    insta::assert_snapshot!("verify_head", check(&store, &tale).unwrap().summary());
    let done = fix(&store, &tale).unwrap();
    assert!(!done.is_sound());
    insta::assert_snapshot!("repair_head", done.summary());
    insta::assert_snapshot!("verify_emptied", check(&store, &tale).unwrap().summary());
}
