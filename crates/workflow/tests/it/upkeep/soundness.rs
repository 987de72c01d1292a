//! What people are told about a session's soundness.

use std::path::Path;

use piton_core::Code;
use piton_store::memory::MemoryTable;
use piton_store::testing::SimDisk;
use piton_workflow::upkeep::{repair, verify};

use crate::carry::store::{Store, block_on};
use crate::carry::tale::Tale;

fn stored() -> (SimDisk, Store, Tale) {
    let disk = SimDisk::new();
    let (store, tale) = (Store::on(&disk, &MemoryTable::new(), 1), Tale::rich(7));
    store.write(&tale);
    (disk, store, tale)
}

#[test]
fn a_sound_session_is_called_sound_and_left_as_it_is() {
    let (_, store, tale) = stored();
    let found = block_on(verify(store.journal.as_ref(), tale.session)).unwrap();
    assert!(found.is_sound());
    insta::assert_snapshot!("verify_sound", found.summary());
    let done = block_on(repair(store.journal.as_ref(), tale.session)).unwrap();
    insta::assert_snapshot!("repair_sound", done.summary());
    assert!(store.events(tale.session) == tale.events());
}

#[test]
fn a_damaged_session_is_explained_and_rolled_back_to_what_is_whole() {
    let (disk, store, tale) = stored();
    let last = tale.plans.last().unwrap();
    let (first, end) = (last[0].index().get(), last.last().unwrap().index().get());
    let segment = format!("/sessions/{}/events/{first:08}-{end:08}.jsonl", tale.session);
    disk.damage(Path::new(&segment), |bytes| bytes[20] ^= 1);
    let found = block_on(verify(store.journal.as_ref(), tale.session)).unwrap();
    assert!(!found.is_sound());
    insta::assert_snapshot!("verify_damaged", found.summary());
    let done = block_on(repair(store.journal.as_ref(), tale.session)).unwrap();
    insta::assert_snapshot!("repair_damaged", done.summary());
    assert_eq!(store.events(tale.session).len() as u64, first);
    assert!(block_on(verify(store.journal.as_ref(), tale.session)).unwrap().is_sound());
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
    let found = block_on(verify(store.journal.as_ref(), tale.session)).unwrap();
    insta::assert_snapshot!("verify_later_version", found.summary());
    let refused = block_on(repair(store.journal.as_ref(), tale.session)).unwrap_err();
    assert_eq!(refused.code(), Code::StoreUnsupportedVersion);
}

#[test]
fn a_session_that_contradicts_itself_is_not_called_sound() {
    let store = Store::in_memory(1);
    let (tale, mut other) = (Tale::rich(7), Tale::rich(7));
    // An event too few: an edge that its attempt promised.
    other.plans = vec![tale.plans[0].clone(), tale.plans[1][..2].to_vec()];
    store.write(&other);
    let found = block_on(verify(store.journal.as_ref(), tale.session)).unwrap();
    assert!(found.stored.health.is_healthy() && !found.is_sound());
    insta::assert_snapshot!("verify_contradiction", found.summary());
}

#[test]
fn a_session_that_is_not_there_is_not_found() {
    let (store, tale) = (Store::in_memory(1), Tale::new(1));
    let missing = block_on(verify(store.journal.as_ref(), tale.session)).unwrap_err();
    assert_eq!(missing.envelope().code, Code::SessionNotFound);
}
