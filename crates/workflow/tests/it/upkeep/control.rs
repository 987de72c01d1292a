//! What a person says about a session, and for how long sessions are kept.

use std::sync::Arc;
use std::time::Duration;

use piton_core::{Code, SessionId};
use piton_store::collect::CollectMode;
use piton_store::memory::MemoryTable;
use piton_store::port::{EntryChange, Expect, Table as _, TableWrite};
use piton_store::testing::WatchedJournal;
use piton_workflow::SessionPorts;
use piton_workflow::maintenance::{
    Fate, RetentionDays, RetentionMark, clean, control, set_control,
};

use crate::carry::store::Store;
use crate::carry::tale::Tale;
use crate::token::samples::ready;

#[test]
fn what_was_said_last_counts() {
    let table = MemoryTable::new();
    let [one, two] = [1, 2].map(|byte| SessionId::from_bytes([byte; 16]));
    assert_eq!(ready(control(&table, one)).unwrap(), RetentionMark::Expire, "nothing was said");
    ready(set_control(&table, one, RetentionMark::Keep)).unwrap();
    ready(set_control(&table, two, RetentionMark::Keep)).unwrap();
    ready(set_control(&table, two, RetentionMark::Expire)).unwrap();
    assert_eq!(ready(control(&table, one)).unwrap(), RetentionMark::Keep);
    assert_eq!(ready(control(&table, two)).unwrap(), RetentionMark::Expire);
}

// shows in part: WR-478 (the part about a closed set)
#[test]
fn a_control_that_is_not_known_is_no_permission_to_remove() {
    let (store, tale) = (Store::in_memory(1), Tale::rich(7));
    store.write(&tale);
    let write = TableWrite {
        key: Arc::from(format!("workflow/retention/{}", tale.session).into_bytes()),
        expect: Expect::Anything,
        change: EntryChange::Put(b"keep_until_friday".to_vec()),
    };
    ready(store.table.commit(vec![write])).unwrap();
    let error = ready(control(&store.table, tale.session)).unwrap_err();
    assert_eq!(error.code(), Code::StoreUnsupportedVersion);
    store.clock.advance(Duration::from_hours(24 * 1_000));
    let done =
        ready(clean(store.ports(), RetentionDays::default(), &[], CollectMode::Remove)).unwrap();
    assert_eq!(done.count(Fate::Spared), 1);
    assert!(done.warnings[0].message.ends_with("it stays."), "{}", done.warnings[0]);
    assert!(store.events(tale.session) == tale.events());
}

#[test]
fn a_session_that_is_kept_while_a_cleaning_waits_for_its_lease_stays() {
    let (store, tale) = (Store::in_memory(1), Tale::rich(7));
    store.write(&tale);
    store.clock.advance(Duration::from_hours(24 * 1_000));
    let journal = WatchedJournal::new(store.journal.as_ref(), |method, _| {
        if method == "lease" {
            ready(set_control(&store.table, tale.session, RetentionMark::Keep)).unwrap();
        }
    });
    let ports = SessionPorts { journal: &journal, ..store.ports() };
    let done = ready(clean(ports, RetentionDays::default(), &[], CollectMode::Remove)).unwrap();
    assert_eq!(done.count(Fate::Kept), 1);
    assert_eq!(ready(control(&store.table, tale.session)).unwrap(), RetentionMark::Keep);
    assert!(store.events(tale.session) == tale.events());
}

// shows in part: WR-477 (the part about the default)
#[test]
fn sessions_are_kept_for_ninety_days_unless_told_otherwise() {
    assert_eq!(RetentionDays::default().duration(), Duration::from_hours(90 * 24));
    for (days, allowed) in [(0, false), (1, true), (36_500, true), (36_501, false)] {
        assert_eq!(RetentionDays::new(days).is_ok(), allowed, "{days}");
        let read = serde_json::from_str::<RetentionDays>(&days.to_string());
        assert_eq!(read.is_ok(), allowed, "{days}");
    }
}
