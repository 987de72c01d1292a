//! Damaged sessions, and every way to use them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use piton_core::Code;
use piton_store::Health;
use piton_workflow::event::PreferenceChange;
use piton_workflow::session::{
    Checkpoint, Continue, Error, PersonVerdict, Prefer, Reply, RunLine, Sessions, SettleRequest,
    Start, StartKey,
};
use piton_workflow::{Autonomy, PreferenceSource};

use super::bytes::tree;
use crate::engine::samples::{step, workflow};
use crate::session::rig::{Rig, ack, start, state};

fn keyed() -> Start {
    let key = StartKey { key: "A-1".to_owned(), project_dir: "/work".to_owned() };
    Start { key: Some(key), ..start(&workflow(&[step("one"), step("two"), step("three")])) }
}

/// Changes the lines of a file.
fn rewrite(file: &Path, change: impl FnOnce(&mut Vec<String>)) {
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines().map(str::to_owned).collect();
    change(&mut lines);
    std::fs::write(file, lines.join("\n") + "\n").unwrap();
}

/// Something that can happen to the files of a session: its directory, and its second segment.
type Damage = (&'static str, fn(&Path, &Path));

const DAMAGES: [Damage; 8] = [
    ("a byte of a segment flipped", |_, segment| {
        let mut bytes = std::fs::read(segment).unwrap();
        bytes[40] ^= 1;
        std::fs::write(segment, bytes).unwrap();
    }),
    ("a segment cut", |_, segment| rewrite(segment, |lines| drop(lines.pop()))),
    ("a segment gone", |_, segment| std::fs::remove_file(segment).unwrap()),
    ("a control record unreadable", |dir, _| {
        rewrite(&dir.join("manifest.jsonl"), |lines| lines[2].clear());
    }),
    ("a control record of another version", |dir, _| {
        rewrite(&dir.join("manifest.jsonl"), |lines| {
            lines[2] = lines[2].replace("\"v\":1", "\"v\":2");
        });
    }),
    ("the first control record unreadable", |dir, _| {
        rewrite(&dir.join("manifest.jsonl"), |lines| lines[0].clear());
    }),
    ("the first segment gone", |_, segment| {
        let first = tree(segment.parent().unwrap()).into_keys().next().unwrap();
        std::fs::remove_file(segment.with_file_name(first)).unwrap();
    }),
    ("the last pin gone", |dir, _| {
        rewrite(&dir.join("manifest.jsonl"), |lines| drop(lines.pop()));
    }),
];

/// Every file under `root` but those of leases, which hold nothing: whoever waits for a lease leaves one.
fn content(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    tree(root).into_iter().filter(|(path, _)| !path.starts_with("leases")).collect()
}

/// Every use of a session whose tokens are in `replies`: what was done before, and what is new.
async fn every_use(
    sessions: impl Fn() -> Sessions,
    replies: &[Reply],
) -> Vec<(&'static str, Error)> {
    let [first, last] = replies else { panic!("a first and a last reply") };
    let mut errors = Vec::new();
    let short = Continue {
        ack_token: last.body.next_call.clone().unwrap().params.ack_token,
        ..ack(last, "Two.", vec![])
    };
    for (what, request) in [
        ("submit", ack(last, "Two.", vec![])),
        ("submit with a short token", short),
        ("submit again", ack(first, "One.", vec![])),
        ("rehydrate", state(last)),
    ] {
        errors.push((what, sessions().proceed(request).await.unwrap_err()));
    }
    let bookmark = Checkpoint {
        checkpoint_token: last.body.checkpoint_token.clone().unwrap(),
        output: None,
        label: None,
    };
    errors.push(("bookmark", sessions().checkpoint(bookmark).await.unwrap_err()));
    let prefer = Prefer {
        session: last.body.run.session_id,
        run: last.body.run.run_id,
        source: PreferenceSource::User,
        changes: vec![PreferenceChange::Autonomy(Autonomy::FullAutoNeverStop)],
    };
    errors.push(("prefer", sessions().prefer(prefer).await.unwrap_err()));
    errors.push(("start", sessions().start(keyed()).await.unwrap_err()));
    let RunLine { session_id: session, run_id: run, .. } = last.body.run;
    let settle = SettleRequest::new(session, run, PersonVerdict::Approved);
    errors.push(("settle", sessions().record_verdict(settle).await.unwrap_err()));
    errors.push(("resume", sessions().reader().take_up(session, run).await.unwrap_err()));
    let token = last.body.next_call.clone().unwrap().params.state_token;
    let token = token.unwrap_or_else(|| last.body.state_token.clone());
    errors.push(("read", sessions().reader().rehydrate(&token).await.unwrap_err()));
    errors
}

// shows: WR-092 (with content_that_a_node_needs_and_that_is_damaged_is_refused_and_nothing_is_written)
// shows: WR-093
// shows: WR-433 (with exactly_the_valid_events_are_saved_and_it_is_said_that_they_are_not_all, what_was_salvaged_is_not_imported)
// shows in part: WR-282 (a corrupt session)
#[tokio::test]
async fn a_damaged_session_is_refused_by_every_use_and_nothing_is_written() {
    let mut kinds = BTreeSet::new();
    for (damage, change) in DAMAGES {
        let dir = tempfile::tempdir().unwrap();
        let rig = Rig::local(dir.path(), 1);
        let first = rig.sessions.start(keyed()).await.unwrap();
        let last = rig.notes(&first, "One.").await;
        let session = dir.path().join("sessions").join(first.body.run.session_id.to_string());
        let segments = tree(&session.join("events"));
        let second = session.join("events").join(segments.keys().nth(1).unwrap());
        change(&session, &second);
        let before = content(dir.path());
        let cold = || Rig::local(dir.path(), 2).sessions;
        for (what, error) in every_use(cold, &[first, last]).await {
            let is_newer = damage.ends_with("of another version");
            let code =
                if is_newer { Code::StoreUnsupportedVersion } else { Code::SessionNotHealthy };
            assert_eq!(error.code(), code, "{damage}, {what}: {error}");
            let Error::Store(piton_store::Error::NotHealthy { health, .. }) = error else {
                panic!()
            };
            kinds.insert(match health {
                Health::Healthy => panic!("{damage}, {what}"),
                Health::CorruptTail { .. } => "corrupt tail",
                Health::CorruptHead { .. } => "corrupt head",
                Health::UnknownVersion { .. } => "unknown version",
            });
        }
        assert_eq!(content(dir.path()), before, "{damage}");
    }
    assert_eq!(kinds, ["corrupt head", "corrupt tail", "unknown version"].into());
}

// shows in part: WR-092 (what the requested node needs beside the log)
#[tokio::test]
async fn content_that_a_node_needs_and_that_is_damaged_is_refused_and_nothing_is_written() {
    for namespace in ["snapshots", "workflows/pinned"] {
        let dir = tempfile::tempdir().unwrap();
        let rig = Rig::local(dir.path(), 1);
        let first = rig.sessions.start(keyed()).await.unwrap();
        let last = rig.notes(&first, "One.").await;
        for file in tree(&dir.path().join(namespace)).into_keys() {
            let file = dir.path().join(namespace).join(file);
            let mut bytes = std::fs::read(&file).unwrap();
            if let Some(byte) = bytes.get_mut(40) {
                *byte ^= 1;
                std::fs::write(file, bytes).unwrap();
            }
        }
        let before = tree(dir.path());
        let cold = || Rig::local(dir.path(), 2).sessions;
        for request in [ack(&last, "Two.", vec![]), ack(&first, "One.", vec![]), state(&last)] {
            let error = cold().proceed(request).await.unwrap_err();
            assert_eq!(error.code(), Code::StoreCorruptBlob, "{namespace}: {error}");
        }
        let checkpoint_token = last.body.checkpoint_token.clone().unwrap();
        let bookmark = Checkpoint { checkpoint_token, output: None, label: None };
        let error = cold().checkpoint(bookmark).await.unwrap_err();
        assert_eq!(error.code(), Code::StoreCorruptBlob, "{namespace}: {error}");
        assert_eq!(tree(dir.path()), before, "{namespace}");
    }
}
