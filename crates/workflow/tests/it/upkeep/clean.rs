//! What a cleaning removes, and in which order.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use piton_core::{Code, Digest, Envelope, SessionId};
use piton_store::JournalRoots;
use piton_store::collect::{CollectMode, SweepReport};
use piton_store::memory::MemoryTable;
use piton_store::port::{BlobNamespace, JournalReader, Roots};
use piton_store::testing::{SimDisk, WatchedJournal};
use piton_workflow::maintenance::{
    Cleaned, Fate, RetentionDays, RetentionMark, artifact_roots, clean, set_control, workflow_roots,
};
use piton_workflow::{SessionEvent, SessionPorts};

use crate::carry::store::{Store, block_on};
use crate::carry::tale::Tale;
use crate::token::samples::ready;

const DAY: Duration = Duration::from_hours(24);

/// The roots that keep the blobs of sessions alive, one owner for each of their namespaces.
fn session_owners<'a>(journal: &'a dyn JournalReader<SessionEvent>) -> [Box<dyn Roots + 'a>; 3] {
    [
        Box::new(JournalRoots::pins(journal)),
        Box::new(artifact_roots(journal)),
        Box::new(workflow_roots(journal)),
    ]
}

fn cleaned(store: &Store, intent: CollectMode) -> Cleaned {
    let ports = store.ports();
    let owners = session_owners(ports.journal);
    block_on(clean(ports, RetentionDays::default(), &owners, intent)).unwrap()
}

fn fate(cleaned: &Cleaned, session: SessionId) -> Option<Fate> {
    let found = cleaned.sessions.iter().find(|found| found.session == session);
    found.map(|found| found.fate)
}

fn removed(cleaned: &Cleaned, namespace: BlobNamespace) -> u64 {
    match &cleaned.blobs[&namespace] {
        SweepReport::Done(counts) => counts.removed,
        SweepReport::Spared { because } => panic!("{because}"),
    }
}

fn has(store: &Store, namespace: BlobNamespace, digest: Digest) -> bool {
    block_on(store.blobs.get(namespace, digest)).unwrap().is_some()
}

const OWNED: [BlobNamespace; 3] =
    [BlobNamespace::Snapshots, BlobNamespace::Artifacts, BlobNamespace::PinnedWorkflows];

// shows: WR-477, WR-479
#[test]
fn a_session_goes_when_its_time_is_over_and_not_before() {
    let (store, tale) = (Store::in_memory(1), Tale::rich(7));
    store.write(&tale);
    store.clock.advance(89 * DAY + Duration::from_secs(86_399));
    let before = cleaned(&store, CollectMode::Remove);
    assert_eq!(fate(&before, tale.session), Some(Fate::Young));
    for namespace in OWNED {
        assert_eq!(removed(&before, namespace), 0, "{namespace}");
    }
    assert!(store.events(tale.session) == tale.events());
    store.clock.advance(Duration::from_secs(1));
    let rehearsed = cleaned(&store, CollectMode::Rehearse);
    assert_eq!(fate(&rehearsed, tale.session), Some(Fate::Removed));
    assert_eq!(store.sessions().len(), 1, "a rehearsal removes nothing");
    let after = cleaned(&store, CollectMode::Remove);
    assert_eq!(fate(&after, tale.session), Some(Fate::Removed));
    assert_eq!(after.count(Fate::Removed), 1);
    assert!(store.sessions().is_empty());
    for namespace in OWNED {
        assert!(removed(&after, namespace) > 0, "{namespace}");
        assert_eq!(store.count(namespace), 0, "{namespace}");
    }
}

#[test]
fn the_age_is_that_of_the_last_event() {
    let (store, mut tale) = (Store::in_memory(1), Tale::rich(7));
    let newest = tale.plans.pop().unwrap();
    store.write(&tale);
    store.clock.advance(89 * DAY);
    tale.plans = vec![newest];
    store.write(&tale);
    store.clock.advance(89 * DAY);
    assert_eq!(fate(&cleaned(&store, CollectMode::Remove), tale.session), Some(Fate::Young));
    store.clock.advance(DAY);
    assert_eq!(fate(&cleaned(&store, CollectMode::Remove), tale.session), Some(Fate::Removed));
}

// shows: WR-478
#[test]
fn a_session_that_somebody_keeps_stays() {
    let (store, tale, other) = (Store::in_memory(1), Tale::rich(7), Tale::rich(8));
    store.write(&tale);
    store.write(&other);
    block_on(set_control(&store.table, tale.session, RetentionMark::Keep)).unwrap();
    store.clock.advance(1_000 * DAY);
    let kept = cleaned(&store, CollectMode::Remove);
    assert_eq!(fate(&kept, tale.session), Some(Fate::Kept));
    assert_eq!(fate(&kept, other.session), Some(Fate::Removed));
    assert!(store.events(tale.session) == tale.events());
    store.export(tale.session);
    block_on(set_control(&store.table, tale.session, RetentionMark::Expire)).unwrap();
    let gone = cleaned(&store, CollectMode::Remove);
    assert_eq!(fate(&gone, tale.session), Some(Fate::Removed));
}

#[test]
fn a_session_that_somebody_writes_to_is_spared() {
    let (store, tale) = (Store::in_memory(1), Tale::rich(7));
    store.write(&tale);
    store.clock.advance(90 * DAY);
    let lease = block_on(store.journal.lease(&tale.session.into())).unwrap();
    let spared = cleaned(&store, CollectMode::Remove);
    assert_eq!(fate(&spared, tale.session), Some(Fate::Spared));
    assert_eq!(spared.warnings[0].code, Code::SessionLocked);
    drop(lease);
    assert!(store.events(tale.session) == tale.events());
}

// shows: WR-481
#[test]
fn what_another_session_needs_survives() {
    let (store, old) = (Store::in_memory(1), Tale::rich(7));
    let new = short_tale(8);
    store.write(&old);
    store.clock.advance(90 * DAY);
    store.write(&new);
    store.clock.advance(DAY);
    let shared: Vec<_> = new.blobs.iter().map(|blob| (blob.namespace(), blob.digest())).collect();
    let old_blobs: Vec<_> =
        old.blobs.iter().map(|blob| (blob.namespace(), blob.digest())).collect();
    assert!(shared.iter().all(|blob| old_blobs.contains(blob)), "both sessions have these");
    let done = cleaned(&store, CollectMode::Remove);
    assert_eq!(fate(&done, old.session), Some(Fate::Removed));
    assert_eq!(fate(&done, new.session), Some(Fate::Young));
    for (namespace, digest) in old_blobs {
        let needed = shared.contains(&(namespace, digest));
        assert_eq!(has(&store, namespace, digest), needed, "{namespace} {digest}");
    }
    store.export(new.session);
}

// shows: WR-483
#[test]
fn if_the_control_records_of_one_session_are_damaged_nothing_is_removed() {
    for (damage, code) in
        [("{}", Code::SessionNotHealthy), (r#"{"v":2}"#, Code::StoreUnsupportedVersion)]
    {
        let disk = SimDisk::new();
        let store = Store::on(&disk, &MemoryTable::new(), 1);
        let tales = [7, 8, 9].map(Tale::rich);
        for tale in &tales {
            store.write(tale);
        }
        let stray =
            block_on(store.blobs.put(BlobNamespace::Snapshots, b"nobody's".to_vec())).unwrap();
        disk.advance(91 * DAY);
        let manifest = format!("/sessions/{}/manifest.jsonl", tales[1].session);
        disk.damage(Path::new(&manifest), |bytes| {
            let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
            bytes.splice(..end, damage.bytes());
        });
        let spared = cleaned(&store, CollectMode::Remove);
        assert!(spared.safe_mode);
        let codes: Vec<Code> =
            spared.warnings.iter().map(|warning: &Envelope| warning.code).collect();
        assert_eq!(codes, [code]);
        assert!(spared.warnings[0].message.contains(&tales[1].session.to_string()));
        assert_eq!(store.sessions().len(), 3);
        assert!(has(&store, BlobNamespace::Snapshots, stray));
        for tale in [&tales[0], &tales[2]] {
            store.export(tale.session);
        }
    }
}

// shows in part: WR-479 (the part about owners)
// shows in part: WR-480 (the part about damaged events)
#[test]
fn if_events_are_damaged_what_events_refer_to_is_spared_and_snapshots_are_swept() {
    let disk = SimDisk::new();
    let (store, tale) = (Store::on(&disk, &MemoryTable::new(), 1), Tale::rich(7));
    store.write(&tale);
    let put = |namespace| block_on(store.blobs.put(namespace, b"nobody's".to_vec())).unwrap();
    let stray = BlobNamespace::ALL.iter().map(|namespace| (*namespace, put(*namespace)));
    let stray: Vec<_> = stray.collect();
    disk.advance(DAY);
    let last = tale.plans.last().unwrap();
    let (first, end) = (last[0].index().get(), last.last().unwrap().index().get());
    let segment = format!("/sessions/{}/events/{first:08}-{end:08}.jsonl", tale.session);
    disk.damage(Path::new(&segment), |bytes| bytes[20] ^= 1);
    let done = cleaned(&store, CollectMode::Remove);
    assert!(!done.safe_mode);
    assert_eq!(removed(&done, BlobNamespace::Snapshots), 1);
    for namespace in [BlobNamespace::Artifacts, BlobNamespace::PinnedWorkflows] {
        assert!(matches!(&done.blobs[&namespace], SweepReport::Spared { .. }), "{namespace}");
    }
    let codes: Vec<Code> = done.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(codes, [Code::SessionNotHealthy; 2]);
    for (namespace, digest) in stray {
        assert_eq!(has(&store, namespace, digest), namespace != BlobNamespace::Snapshots);
    }
}

/// A session with little in it.
fn short_tale(seed: u64) -> Tale {
    let mut tale = Tale::new(seed);
    tale.run();
    tale
}

// shows: WR-482, WR-484
#[test]
fn every_control_stream_is_read_before_a_session_goes_and_sessions_go_before_blobs() {
    let (store, old, new) = (Store::in_memory(1), Tale::rich(7), short_tale(8));
    store.write(&old);
    store.clock.advance(90 * DAY);
    store.write(&new);
    let counts = || OWNED.map(|namespace| store.count(namespace));
    let before = counts();
    let told = Mutex::new(Vec::new());
    let journal = WatchedJournal::new(store.journal.as_ref(), |method, stream| {
        if method == "delete" {
            assert_eq!(counts(), before, "no blob is gone yet");
        }
        told.lock().unwrap().push((method, stream.clone()));
    });
    let ports = SessionPorts { journal: &journal, ..store.ports() };
    let owners = session_owners(ports.journal);
    let done = ready(clean(ports, RetentionDays::default(), &owners, CollectMode::Remove)).unwrap();
    assert_eq!(done.count(Fate::Removed), 1);
    assert_ne!(counts(), before);
    let told = told.lock().unwrap();
    let deleted = told.iter().position(|(method, _)| *method == "delete").unwrap();
    assert_eq!(told[deleted].1, old.session.into());
    for session in [old.session, new.session] {
        assert!(told[..deleted].contains(&("pins", session.into())), "{session} was not read");
    }
}

// shows in part: WR-484 (the part about a crash)
#[test]
fn a_cut_between_sessions_and_blobs_leaves_only_too_much() {
    let (store, old, new) = (Store::in_memory(1), Tale::rich(7), short_tale(8));
    store.write(&old);
    store.write(&new);
    let before = store.export(new.session);
    let lease = block_on(store.journal.lease(&old.session.into())).unwrap();
    block_on(store.journal.delete(lease)).unwrap();
    let artifacts = store.count(BlobNamespace::Artifacts);
    assert!(artifacts > 0, "what the session referred to is still there");
    store.clock.advance(DAY);
    let done = cleaned(&store, CollectMode::Remove);
    assert_eq!(removed(&done, BlobNamespace::Artifacts), artifacts as u64);
    assert_eq!(store.export(new.session).content(), before.content());
}
