//! Every failure has a code, says what is wrong and what to do next.

use std::collections::BTreeSet;
use std::sync::Arc;

use piton_backpack::journal::{Mode, read};
use piton_backpack::{Backpack, Error, NodeIdentity, Options, Permissions};
use piton_core::{Code, Domain};
use piton_store::testing::SimDisk;

use crate::journal::site::{Site, node, pack_id};
use crate::rig::{Rig, done, ports};

/// One failure of each kind that a backpack in memory has.
fn in_memory() -> Vec<(Code, Error)> {
    let rig = Rig::with(Options { max_history: 125, max_value_size: 100, ..Options::default() });
    let a = rig.node("a");
    let first = done(a.pack("x", &"text"));
    done(a.pack("big", &"b".repeat(200)));
    for count in 0..200 {
        done(a.pack("y", &count));
    }
    let head = rig.backpack.head().unwrap();
    let snapshot = rig.backpack.snapshot_at_commit(head).unwrap();
    let stranger = rig.backpack.fork();
    let system = stranger.scope(NodeIdentity::system(), None).unwrap();
    let others: Vec<_> = (0..150).map(|count| done(system.pack("x", &count))).collect();
    let outsider = rig.limited("outsider", Permissions::none());
    let newer = rig.backpack.to_json().unwrap().replace("\"v\":1}", "\"v\":2}");
    let cut = rig.backpack.fork().to_json().unwrap().replace("piton.backpack", "other");
    vec![
        (Code::ValidationError, a.pack("", &1).unwrap_err()),
        (Code::ValidationError, a.pack("x", &f64::NAN).unwrap_err()),
        (Code::ValidationError, a.items_by_namespace("a..b").unwrap_err()),
        (Code::ValidationError, a.quarantine("x", &"r".repeat(2_000)).unwrap_err()),
        (
            Code::ValidationError,
            rig.backpack.abandon_since(&stranger, NodeIdentity::system()).unwrap_err(),
        ),
        (Code::BackpackAccessDenied, outsider.unpack::<u8>("x").unwrap_err()),
        (Code::BackpackKeyMissing, a.unpack_required::<u8>("missing").unwrap_err()),
        (Code::BackpackWrongType, a.unpack::<u8>("x").unwrap_err()),
        (Code::BackpackUnavailable, snapshot.debug().peek::<String>("big").unwrap_err()),
        (Code::BackpackUnknownCommit, rig.backpack.debug().commit(others[149]).unwrap_err()),
        (
            Code::BackpackUnknownCommit,
            rig.backpack.snapshot_before_node(&crate::rig::node("z")).unwrap_err(),
        ),
        (Code::BackpackBeforeHistory, rig.backpack.snapshot_at_commit(first).unwrap_err()),
        (Code::BackpackInvalidFormat, Backpack::from_json(&cut, ports(1).0).unwrap_err()),
        (Code::BackpackUnsupportedVersion, Backpack::from_json(&newer, ports(1).0).unwrap_err()),
    ]
}

/// A failure of one node more than a backpack takes.
fn too_many_nodes() -> Error {
    let rig = Rig::new();
    for number in 0..10_000 {
        done(rig.node(&format!("n{number}")).pack("x", &number));
    }
    rig.node("one more").pack("x", &1).unwrap_err()
}

async fn damaged_log() -> Error {
    let disk = SimDisk::new();
    let site = Site::on(Arc::new(disk.clone()), 1);
    let backpack = site.open().await;
    backpack.close().await.unwrap();
    disk.damage(std::path::Path::new("/backpacks/pack_a/log"), |bytes| bytes[0] ^= 1);
    let site = Site::on(Arc::new(disk), 2);
    let found = read(&site.journal, &site.blobs, &pack_id(), site.ports.ports.clone()).await;
    found.map(|_| ()).unwrap_err()
}

/// One failure of each kind that a journal adds.
async fn with_a_journal() -> Vec<(Code, Error)> {
    let site = Site::on(Arc::new(SimDisk::new()), 1);
    let found = read(&site.journal, &site.blobs, &pack_id(), site.ports.ports.clone()).await;
    let missing = found.map(|_| ()).unwrap_err();
    let backpack = site.open().await;
    let locked = site.try_open(Mode::Durable, Options::default()).await;
    let locked = locked.map(|_| ()).unwrap_err();
    let a = node(&backpack, "a");
    backpack.close().await.unwrap();
    let closed = a.pack("x", &1).unwrap_err();
    let damaged = damaged_log().await;
    vec![
        (Code::BackpackDamaged, damaged),
        (Code::BackpackNotFound, missing),
        (Code::BackpackLocked, locked),
        (Code::BackpackClosed, closed),
    ]
}

#[tokio::test]
async fn every_failure_has_a_code_and_says_what_to_do() {
    let mut failures = in_memory();
    failures.push((Code::BackpackLimitExceeded, too_many_nodes()));
    failures.extend(with_a_journal().await);
    let mut produced = BTreeSet::new();
    for (code, error) in failures {
        let envelope = error.envelope();
        assert_eq!((error.code(), envelope.code), (code, code), "{error}");
        assert_eq!(envelope.retry, code.retry());
        assert!(envelope.message.ends_with('.'), "{}", envelope.message);
        assert!(envelope.message.starts_with(char::is_uppercase), "{}", envelope.message);
        assert!(!envelope.suggestion.is_empty());
        produced.insert(code);
    }
    let own = Code::ALL.iter().filter(|code| code.domain() == Domain::Backpack);
    let unmet: Vec<&Code> = own.filter(|code| !produced.contains(code)).collect();
    assert!(unmet.is_empty(), "{unmet:?}");
}

#[test]
fn what_the_store_knows_better_than_its_code_is_passed_on() {
    for error in [piton_store::Error::FormatCorrupt, piton_store::Error::Conflict { keys: vec![0] }]
    {
        assert_eq!(Error::from(error.clone()).envelope(), error.envelope());
    }
}
