//! Imports that are cut off.

use std::sync::atomic::{AtomicUsize, Ordering};

use piton_core::Code;
use piton_store::bounds::PLAN_EVENTS_MAX;
use piton_store::memory::MemoryTable;
use piton_store::testing::{DiskFault, FaultKind, SimDisk, WatchedJournal};
use piton_workflow::bundle::Bundle;
use piton_workflow::event::OutputPayload;
use piton_workflow::{SessionPorts, transfer};

use super::store::{Store, block_on, producer};
use super::tale::Tale;
use crate::token::samples::ready;

fn bundle_of(tale: &Tale) -> Bundle {
    let store = Store::in_memory(1);
    store.write(tale);
    store.export(tale.session)
}

/// A session that one plan cannot hold.
fn long_tale() -> Tale {
    let mut tale = Tale::new(5);
    let root = tale.run();
    for plan in 0..3 {
        tale.plans.push(Vec::new());
        for number in 0..PLAN_EVENTS_MAX / 2 {
            let notes = OutputPayload::notes(&format!("{plan}/{number}"));
            tale.output(root, None, notes);
        }
    }
    tale
}

#[test]
fn an_import_that_is_cut_off_at_any_call_leaves_the_whole_session_or_none() {
    let bundle = bundle_of(&Tale::rich(7));
    let session = bundle.content().session;
    let calls = {
        let disk = SimDisk::new();
        let store = Store::on(&disk, &MemoryTable::new(), 2);
        disk.set_fault(None);
        store.import(&bundle);
        disk.calls()
    };
    let (mut none, mut whole) = (0, 0);
    // The blobs come first and the session last: look closely at the end.
    let at = (0..calls).filter(|call| call % 97 == 0 || call + 60 > calls);
    for (at, kind) in at.flat_map(|at| FaultKind::ALL.map(|kind| (at, kind))) {
        let (disk, notes) = (SimDisk::new(), MemoryTable::new());
        let store = Store::on(&disk, &notes, 2);
        disk.set_fault(Some(DiskFault { at, kind }));
        let outcome = block_on(transfer::import(store.ports(), &bundle));
        drop(store);
        let left = disk.after_power_cut(at, 512);
        let store = Store::on(&left, &notes, 3);
        let found = store.sessions();
        assert!(found.iter().all(|found| *found == session.into()), "{kind:?} at {at}: {found:?}");
        // A first write that never ended is no session.
        let events = if found.is_empty() { Vec::new() } else { store.events(session) };
        if events.is_empty() {
            none += 1;
            assert!(outcome.is_err(), "{kind:?} at {at}");
            let error = block_on(transfer::export(store.ports(), session, producer())).unwrap_err();
            assert_eq!(error.code(), Code::SessionNotFound);
        } else {
            whole += 1;
            assert!(events == bundle.content().events, "{kind:?} at {at}");
            store.export(session);
        }
        // Trying again works. What a failed disk left in doubt keeps its name, and so does what is there.
        let again = store.import(&bundle);
        assert!(again.renamed_from.is_some() || events.is_empty(), "{kind:?} at {at}");
        assert_eq!(store.events(again.session).len(), bundle.content().events.len());
    }
    assert!(none > 0 && whole > 0, "{none} times nothing, {whole} times everything");
}

#[test]
fn a_session_that_takes_several_plans_is_cut_where_its_own_plans_ended() {
    let tale = long_tale();
    let bundle = bundle_of(&tale);
    let store = Store::in_memory(2);
    let imported = store.import(&bundle);
    assert_eq!(imported.plans, 2, "as few as hold {} events", imported.events);
    assert!(store.events(tale.session) == tale.events());
    assert_eq!(block_on(transfer::remove_unfinished(store.ports())).unwrap(), []);
    assert_eq!(store.sessions().len(), 1);
    store.export(tale.session);
}

#[test]
fn half_of_a_session_is_recognised_and_removed_before_the_next_import() {
    let tale = long_tale();
    let bundle = bundle_of(&tale);
    let appends = |disk: &SimDisk, notes: &MemoryTable, crash_at: usize| {
        let store = Store::on(disk, notes, 2);
        let count = AtomicUsize::new(0);
        let journal = WatchedJournal::new(store.journal.as_ref(), |method, _| {
            let is_append = method == "append";
            let before = count.fetch_add(usize::from(is_append), Ordering::Relaxed);
            if is_append && before == crash_at {
                disk.set_fault(Some(DiskFault { at: 0, kind: FaultKind::Crash }));
            }
        });
        let ports = SessionPorts { journal: &journal, ..store.ports() };
        block_on(transfer::import(ports, &bundle)).unwrap_err()
    };
    let (disk, notes) = (SimDisk::new(), MemoryTable::new());
    let error = appends(&disk, &notes, 1);
    assert_eq!(error.code(), Code::StoreIo);
    // The power is back. Half of the session is there, and is known to be half.
    let left = disk.after_power_cut(1, 512);
    let store = Store::on(&left, &notes, 3);
    assert!(store.events(tale.session).len() < tale.events().len());
    assert_eq!(block_on(transfer::remove_unfinished(store.ports())).unwrap(), [tale.session]);
    assert!(store.sessions().is_empty());
    assert_eq!(block_on(transfer::remove_unfinished(store.ports())).unwrap(), []);

    // The same without asking for it: the next import sees to it first.
    let (disk, notes) = (SimDisk::new(), MemoryTable::new());
    appends(&disk, &notes, 1);
    let store = Store::on(&disk.after_power_cut(1, 512), &notes, 3);
    let imported = store.import(&bundle);
    assert_eq!((imported.session, imported.renamed_from), (tale.session, None));
    assert!(store.events(tale.session) == tale.events());
}

#[test]
fn an_import_that_fails_without_a_crash_takes_back_what_it_appended() {
    let tale = long_tale();
    let bundle = bundle_of(&tale);
    let (disk, notes) = (SimDisk::new(), MemoryTable::new());
    let store = Store::on(&disk, &notes, 2);
    let count = AtomicUsize::new(0);
    let journal = WatchedJournal::new(store.journal.as_ref(), |method, _| {
        if method == "append" && count.fetch_add(1, Ordering::Relaxed) == 1 {
            disk.set_fault(Some(DiskFault { at: 2, kind: FaultKind::ErrorOnce }));
        }
    });
    let ports = SessionPorts { journal: &journal, ..store.ports() };
    block_on(transfer::import(ports, &bundle)).unwrap_err();
    disk.set_fault(None);
    assert!(store.sessions().is_empty());
    assert_eq!(store.import(&bundle).renamed_from, None);
}

#[test]
fn an_import_at_work_is_left_alone() {
    let tale = long_tale();
    let bundle = bundle_of(&tale);
    let store = Store::in_memory(2);
    let looked = AtomicUsize::new(0);
    let journal = WatchedJournal::new(store.journal.as_ref(), |method, _| {
        if method == "append" {
            looked.fetch_add(1, Ordering::Relaxed);
            let removed = ready(transfer::remove_unfinished(store.ports()));
            assert_eq!(removed.unwrap(), []);
        }
    });
    let ports = SessionPorts { journal: &journal, ..store.ports() };
    ready(transfer::import(ports, &bundle)).unwrap();
    assert_eq!(looked.load(Ordering::Relaxed), 2);
    assert!(store.events(tale.session) == tale.events());
}
