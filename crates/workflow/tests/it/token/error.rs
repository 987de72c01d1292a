//! Every way in which a token is refused, and what is said about it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use piton_core::port::TimestampMs;
use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_core::{Code, DedupeKey, Digest, Domain, EventId, EventIndex, SnapshotRef, WorkflowHash};
use piton_store::memory::{MemoryBlobs, MemoryJournal, MemoryKeyRing};
use piton_store::port::Journal;
use piton_store::{Event, StreamId};
use piton_workflow::token::{Error, Payload, StatePayload, TokenError, verify, verify_short};
use piton_workflow::{AnyToken, ShortToken, TokenString};
use serde::{Deserialize, Serialize};

use super::golden::{SHORT_TOKENS, TOKENS};
use super::samples::{address, keys, mint, payloads, ready, state};

/// An event that is never written: the tests only take the lease.
#[derive(Serialize, Deserialize)]
enum Never {}

impl Event for Never {
    const VERSION: u32 = 1;

    fn version(&self) -> u32 {
        match *self {}
    }

    fn index(&self) -> EventIndex {
        match *self {}
    }

    fn id(&self) -> EventId {
        match *self {}
    }

    fn dedupe_key(&self) -> &DedupeKey {
        match *self {}
    }

    fn belongs_to(&self, _: &StreamId) -> bool {
        match *self {}
    }

    fn introduces(&self) -> Option<SnapshotRef> {
        match *self {}
    }
}

fn unsupported() -> Error {
    let token = TOKENS[0].replacen(".v1.", ".v2.", 1);
    token.parse::<AnyToken>().unwrap_err().into()
}

fn malformed() -> Error {
    "ack.v1.e30".parse::<AnyToken>().unwrap_err().into()
}

fn badly_signed() -> Error {
    let token: TokenString = TOKENS[1].parse().unwrap();
    ready(verify(&token, &MemoryKeyRing::new(Arc::new(SeededEntropy::new(7))))).unwrap_err()
}

fn of_another_kind() -> Error {
    Payload::State(state()).into_ack().unwrap_err().into()
}

fn unknown() -> Error {
    let token: ShortToken = SHORT_TOKENS[1].parse().unwrap();
    ready(verify_short(&token, &[], &keys())).unwrap_err()
}

/// A token that is signed well and names another workflow than its run.
fn of_another_workflow() -> Error {
    let keys = keys();
    let workflow_hash = WorkflowHash::new(Digest::from_bytes([9; 32]));
    let forged = Payload::State(StatePayload { workflow_hash, ..state() });
    let token = ready(mint(&forged, &keys)).unwrap();
    let payload = ready(verify(&token, &keys)).unwrap().into_state().unwrap();
    payload.check_pin(state().workflow_hash).unwrap_err().into()
}

fn locked() -> Error {
    let clock = Arc::new(ManualClock::new(TimestampMs(0)));
    let journal = MemoryJournal::<Never>::new(MemoryBlobs::new(clock));
    let session = address().session.to_string().parse().unwrap();
    let _lease = ready(journal.lease(&session)).unwrap();
    ready(journal.lease(&session)).unwrap_err().into()
}

// shows: WR-237 (with a_step_narrows_while_it_is_pending_and_no_longer, a_call_must_name_its_step_as_long_as_a_run_of_the_agent_narrows, a_call_without_a_label_is_refused_while_several_runs_are_open)
#[test]
fn every_code_of_tokens_is_produced_and_says_what_to_do() {
    let mut page = String::new();
    let mut produced = BTreeSet::new();
    for error in [
        malformed(),
        unsupported(),
        badly_signed(),
        of_another_kind(),
        unknown(),
        of_another_workflow(),
        locked(),
    ] {
        let envelope = error.envelope();
        assert_eq!(envelope.code, error.code());
        assert!(produced.insert(envelope.code), "{}", envelope.code);
        writeln!(page, "{envelope}\n  {}\n  {:?}", envelope.suggestion, envelope.retry).unwrap();
    }
    // The doors refuse these: a call that does not say which step or run it belongs to.
    let elsewhere = [Code::TokenLabelRequired, Code::TokenRunRequired, Code::TokenStepPassed];
    let is_here = |code: &Code| code.domain() == Domain::Token && !elsewhere.contains(code);
    assert_eq!(produced, Code::ALL.iter().copied().filter(is_here).collect());
    insta::assert_snapshot!(page);
}

// shows: WR-239
#[test]
fn a_state_token_of_another_workflow_than_its_run_is_refused() {
    assert_eq!(of_another_workflow().code(), Code::TokenWorkflowHashMismatch);
    assert_eq!(state().check_pin(state().workflow_hash), Ok(()));
}

#[test]
fn what_the_store_says_of_anything_but_a_lock_stays_what_it_is() {
    let error = piton_store::Error::BadRequest { problem: "made up" };
    let code = error.code();
    assert_eq!(Error::from(error).code(), code);
    assert_eq!(Error::from(TokenError::BadSignature).code(), Code::TokenBadSignature);
}

#[test]
fn no_refusal_quotes_the_token() {
    for payload in payloads() {
        let keys = keys();
        let token = ready(mint(&payload, &keys)).unwrap();
        let other = MemoryKeyRing::new(Arc::new(SeededEntropy::new(7)));
        let error = ready(verify(&token, &other)).unwrap_err();
        let said = format!("{error} {error:?} {:?}", error.envelope());
        assert!(!said.contains(token.signature()) && !said.contains(token.payload()));
    }
}
