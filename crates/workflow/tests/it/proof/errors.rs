//! Every code with which a use of a session can fail.

use std::collections::BTreeSet;
use std::path::Path;

use piton_core::error::Domain;
use piton_core::{Code, Retry, SessionId};
use piton_store::local::disk::Disk as _;
use piton_store::testing::{DiskFault, FaultKind, SimDisk};
use piton_workflow::event::PreferenceChange;
use piton_workflow::session::{Continue, Error, Prefer, Reply, Sessions, Start, SubmittedOutput};
use piton_workflow::token::Payload;
use piton_workflow::{Autonomy, EventKind, PreferenceSource, TokenString};
use serde_json::json;

use super::exchanged::Exchanged;
use super::kills::{open, opened};
use crate::engine::samples::{step, workflow};
use crate::session::rig::{Rig, ack, object, start, state};
use crate::token::samples::mint;

/// What no use of a session leads to: the table, a data directory that does not open, more data than an output may
/// bring, and calls that only a connection or another tool than those of a workflow refuses.
const NOT_HERE: [Code; 8] = [
    Code::StoreBusy,
    Code::StoreConflict,
    Code::StoreUnsupportedFilesystem,
    Code::StoreLimitExceeded,
    Code::StoreTableDamaged,
    Code::TokenLabelRequired,
    Code::TokenRunRequired,
    Code::TokenStepPassed,
];

/// A store with a run that waits at its second step.
struct Stage {
    disk: SimDisk,
    first: Reply,
    second: Reply,
}

impl Stage {
    async fn new() -> Self {
        let disk = SimDisk::new();
        let rig = opened(&disk, 10);
        let first = rig.start(&workflow(&[step("one"), step("two")])).await;
        let second = rig.notes(&first, "One.").await;
        Self { disk, first, second }
    }

    fn session(&self) -> SessionId {
        self.first.body.run.session_id
    }

    fn with_ack(&self, token: &str) -> Continue {
        Continue { ack_token: Some(token.to_owned()), ..ack(&self.second, "Two.", vec![]) }
    }

    fn long(&self) -> String {
        self.second.body.ack_token.clone().expect("a step is pending")
    }

    fn prefer(&self, session: SessionId) -> Prefer {
        Prefer {
            session,
            run: self.first.body.run.run_id,
            source: PreferenceSource::User,
            changes: vec![PreferenceChange::Autonomy(Autonomy::FullAutoNeverStop)],
        }
    }

    /// Changes every file whose path has `part` in it and that holds something.
    fn damage(&self, part: &str, change: fn(&mut Vec<u8>)) {
        for (path, bytes) in self.disk.contents() {
            if path.to_string_lossy().contains(part) && !bytes.is_empty() {
                self.disk.damage(&path, change);
            }
        }
    }

    fn fail(&self, at: u64, kind: FaultKind) {
        self.disk.set_fault(Some(DiskFault { at, kind }));
    }
}

async fn submit(stage: &Stage, sessions: &Sessions) -> Error {
    sessions.proceed(ack(&stage.second, "Two.", vec![])).await.expect_err("it is refused")
}

/// A token that was signed here and names what is not so.
async fn forged(stage: &Stage, rig: &Rig, change: impl FnOnce(&mut Payload)) -> String {
    let token: TokenString = stage.second.body.state_token.parse().expect("it is a token");
    let said = Payload::decode(token.kind(), &token.payload_bytes());
    let mut said = said.expect("it is whole");
    change(&mut said);
    mint(&said, &*rig.keys).await.expect("it is signed").as_str().to_owned()
}

async fn of_tokens(stage: &Stage) -> Vec<Error> {
    let rig = open(&stage.disk);
    let long = stage.long();
    let stranger = Rig::seeded(50).start(&workflow(&[step("one")])).await;
    let other_hash = workflow(&[step("other")]).workflow_hash();
    let mismatch = forged(stage, &rig, |said| {
        if let Payload::State(state) = said {
            state.workflow_hash = other_hash;
        }
    });
    let unknown = forged(stage, &rig, |said| {
        if let Payload::State(state) = said {
            state.address.session = SessionId::from_bytes([9; 16]);
        }
    });
    let with_state = |token: String| Continue { state_token: Some(token), ..Continue::default() };
    let requests = [
        stage.with_ack("hello"),
        stage.with_ack(&long.replace("ack.v1", "ack.v2")),
        stage.with_ack(stranger.body.ack_token.as_ref().expect("a step is pending")),
        stage.with_ack(&stage.second.body.state_token),
        with_state(mismatch.await),
        with_state(unknown.await),
        Continue::default(),
    ];
    let mut errors = Vec::new();
    for request in requests {
        errors.push(rig.sessions.proceed(request).await.expect_err("it is refused"));
    }
    assert!(errors[..6].iter().all(|error| error.code().domain() == Domain::Token));
    let held = opened(&stage.disk, 12).journal.lease(&stage.session().into()).await;
    errors.push(submit(stage, &rig.sessions).await);
    assert_eq!(errors[7].code(), Code::TokenSessionLocked);
    let prefer = stage.prefer(stage.session());
    errors.push(rig.sessions.prefer(prefer).await.expect_err("it is busy"));
    drop(held);
    let prefer = stage.prefer(SessionId::from_bytes([9; 16]));
    errors.push(rig.sessions.prefer(prefer).await.expect_err("there is none"));
    errors
}

/// Damage, each on a store of its own.
async fn of_stores() -> Vec<Error> {
    type Break = fn(&Stage);
    let breaks: [Break; 8] = [
        |stage| stage.damage("/snapshots/", |bytes| bytes[3] ^= 1),
        |stage| {
            let files: Vec<_> = stage.disk.contents().into_keys().collect();
            for path in files.iter().filter(|path| path.starts_with("/workflows/pinned")) {
                stage.disk.remove_file(path).expect("it is there");
            }
        },
        |stage| stage.damage("/events/", |bytes| bytes[40] ^= 1),
        |stage| {
            stage.damage("keyring.json", |bytes| bytes.truncate(9));
        },
        |stage| stage.fail(9, FaultKind::ErrorOnce),
        |stage| stage.fail(9, FaultKind::Full),
        |stage| {
            let mark = Path::new("/sessions").join(stage.session().to_string()).join("poisoned");
            stage.disk.create(&mark).expect("there is room");
        },
        |stage| {
            stage.damage("keyring.json", |bytes| *bytes = br#"{"keys":[],"v":9}"#.to_vec());
        },
    ];
    let mut errors = Vec::new();
    for change in breaks {
        let stage = Stage::new().await;
        let rig = open(&stage.disk);
        change(&stage);
        errors.push(submit(&stage, &rig.sessions).await);
    }
    errors
}

// shows in part: WR-489, WR-494, WR-499 (the codes that the use of a session leads to)
#[tokio::test]
async fn every_code_is_produced_and_says_what_to_do() {
    let stage = Stage::new().await;
    let mut errors = of_tokens(&stage).await;
    errors.extend(of_stores().await);
    errors.push(contradiction().await);
    let mut seen = BTreeSet::new();
    for error in errors {
        let (code, envelope) = (error.code(), error.envelope());
        seen.insert(code.as_str());
        assert_eq!(envelope.code, code);
        assert_eq!(envelope.retry, code.retry(), "{code}");
        assert!(envelope.message.ends_with(['.', '!', '?']), "{code}: {}", envelope.message);
        assert!(envelope.message.starts_with(char::is_uppercase), "{code}: {}", envelope.message);
        assert!(!envelope.suggestion.is_empty(), "{code}");
        let is_lock = matches!(code, Code::SessionLocked | Code::TokenSessionLocked);
        assert_eq!(matches!(envelope.retry, Retry::RetryableAfterMs { .. }), is_lock, "{code}");
    }
    let is_ours = |code: &Code| {
        use Domain::{Keyring, Session, Store, Token, Validation};
        matches!(code.domain(), Store | Session | Keyring | Token | Validation)
    };
    let is_here = |code: &&Code| is_ours(code) && !NOT_HERE.contains(code);
    let expected = Code::ALL.iter().filter(is_here);
    assert_eq!(seen, expected.map(|code| code.as_str()).collect());
}

/// A log that is well formed line by line and contradicts itself.
async fn contradiction() -> Error {
    let kept = Exchanged::new();
    let (rig, told) = kept.told().await;
    let mut events = rig.events(told.session).await;
    events.retain(|event| event.body().kind() != EventKind::RunStarted);
    let request = ack(&told.last, "More.", vec![]);
    kept.with(events).await.sessions.proceed(request).await.expect_err("it is refused")
}

#[tokio::test]
async fn a_start_that_cannot_be_answered_begins_nothing() {
    let stage = Stage::new().await;
    stage.damage("keyring.json", |bytes| bytes.truncate(9));
    let rig = open(&stage.disk);
    let before = rig.journal.streams().await.expect("they are listed");
    let error = rig.sessions.start(start(&workflow(&[step("one")]))).await;
    assert_eq!(error.expect_err("nobody could go on with it").code(), Code::KeyringCorrupt);
    assert_eq!(rig.journal.streams().await.expect("they are listed"), before);
}

// shows: WR-265
#[tokio::test]
async fn what_a_caller_sent_is_in_no_reply_and_in_no_error() {
    const MARKER: &str = "zebra";
    let told = object(json!({"animal": MARKER}));
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two")]);
    let begin = Start { context: told.clone(), ..start(&compiled) };
    let first = rig.sessions.start(begin).await.expect("it starts");
    let with = |request: Continue| Continue { context: Some(told.clone()), ..request };
    let output = SubmittedOutput { notes_markdown: None, artifacts: vec![] };
    let blocked = Continue { output: Some(output), ..with(ack(&first, "", vec![])) };
    let blocked = rig.sessions.proceed(blocked).await.expect("it is answered");
    let second = rig.sessions.proceed(with(ack(&blocked, "One.", vec![]))).await;
    let second = second.expect("it is answered");
    let here = rig.sessions.proceed(state(&second)).await.expect("it is answered");
    for reply in [&first, &blocked, &second, &here] {
        assert!(!format!("{reply:?}{}", reply.text()).contains(MARKER));
    }
    let large = object(json!({"animal": MARKER.repeat(60_000)}));
    let reserved = object(json!({"__proto__": MARKER}));
    for context in [large, reserved] {
        let request = Continue { context: Some(context), ..ack(&second, "Two.", vec![]) };
        let error = rig.sessions.proceed(request).await.expect_err("it is refused");
        assert!(!format!("{error}{:?}", error.envelope()).contains(MARKER));
    }
    let crossed = Continue { ack_token: None, ..with(state(&second)) };
    let error = rig.sessions.proceed(crossed).await.expect_err("it is refused");
    assert!(!format!("{error}{:?}", error.envelope()).contains(MARKER));
}
