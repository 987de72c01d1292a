//! What a person says about a session, and for how long sessions are kept.

use std::sync::Arc;
use std::time::Duration;

use piton_core::{Code, SessionId};
use piton_store::memory::MemoryTable;
use piton_store::port::{Change, Expect, Table as _, Write};
use piton_workflow::upkeep::{Control, RetentionDays, controls, set_control};

use crate::token::samples::ready;

#[test]
fn what_was_said_last_counts() {
    let table = MemoryTable::new();
    let [one, two] = [1, 2].map(|byte| SessionId::from_bytes([byte; 16]));
    assert!(ready(controls(&table)).unwrap().is_empty());
    ready(set_control(&table, one, Control::Keep)).unwrap();
    ready(set_control(&table, two, Control::Keep)).unwrap();
    ready(set_control(&table, two, Control::Expire)).unwrap();
    let said = ready(controls(&table)).unwrap();
    assert_eq!(said.get(&one), Some(&Control::Keep));
    assert_ne!(said.get(&two), Some(&Control::Keep));
}

// shows: WR-478 (the part about a closed set)
#[test]
fn a_control_that_is_not_known_is_an_error_and_not_a_permission() {
    let table = MemoryTable::new();
    let session = SessionId::from_bytes([1; 16]);
    let write = Write {
        key: Arc::from(format!("workflow/retention/{session}").into_bytes()),
        expect: Expect::Anything,
        change: Change::Put(b"keep_until_friday".to_vec()),
    };
    ready(table.commit(vec![write])).unwrap();
    let error = ready(controls(&table)).unwrap_err();
    assert_eq!(error.code(), Code::StoreUnsupportedVersion);
    assert!(error.envelope().message.ends_with("nothing was removed."));
}

#[test]
fn more_controls_than_fit_on_a_page_are_all_read() {
    let table = MemoryTable::new();
    for number in 0..2_500_u32 {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&number.to_be_bytes());
        ready(set_control(&table, SessionId::from_bytes(bytes), Control::Keep)).unwrap();
    }
    assert_eq!(ready(controls(&table)).unwrap().len(), 2_500);
}

// shows: WR-477 (the part about the default)
#[test]
fn sessions_are_kept_for_ninety_days_unless_told_otherwise() {
    assert_eq!(RetentionDays::default().duration(), Duration::from_hours(90 * 24));
    for (days, allowed) in [(0, false), (1, true), (36_500, true), (36_501, false)] {
        assert_eq!(RetentionDays::new(days).is_ok(), allowed, "{days}");
        let read = serde_json::from_str::<RetentionDays>(&days.to_string());
        assert_eq!(read.is_ok(), allowed, "{days}");
    }
}
