//! What is written, byte for byte.
//!
//! `data/session.jsonl` holds the segments of one session as they were first written, and `data/manifest.jsonl`
//! its control records. Their form never changes: data that users have must stay what it is. Only the sentences in
//! them follow the program's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_core::{TimestampMs, canonical};
use piton_workflow::event::validate;
use piton_workflow::{EventKind, SessionEvent};
use regex::Regex;
use serde_json::Value;

use super::story::{Story, tell};
use crate::session::rig::{Rig, body};

const SESSION: &str = include_str!("data/session.jsonl");
const MANIFEST: &str = include_str!("data/manifest.jsonl");

fn forwards(rig: &Rig) {
    rig.clock.advance(Duration::from_secs(1));
}

/// Every file under `root` with its content.
pub(super) fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The segments of the only session under `root`, one after the other.
fn segments(root: &Path) -> String {
    let is_segment = |path: &Path| path.components().any(|part| part.as_os_str() == "events");
    let files = tree(root).into_iter().filter(|(path, _)| is_segment(path));
    files.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect()
}

fn manifest(root: &Path) -> String {
    let mut files = tree(root).into_iter();
    let (_, bytes) = files.find(|(path, _)| path.ends_with("manifest.jsonl")).unwrap();
    String::from_utf8(bytes).unwrap()
}

async fn told(root: &Path, seed: u64, tick: &dyn Fn(&Rig)) -> Story {
    tell(&Rig::local(root, seed), tick).await
}

/// A text in which every id is a number: how many other ids came before it.
fn numbered(text: &str) -> String {
    let id = Regex::new("[a-z]+_[0-9a-hjkmnp-tv-z]{26}").unwrap();
    let mut seen = BTreeMap::new();
    let number = |found: &regex::Captures<'_>| {
        let next = seen.len();
        let kind = found[0].split('_').next().unwrap().to_owned();
        format!("{kind}_{}", seen.entry(found[0].to_owned()).or_insert(next))
    };
    id.replace_all(text, number).into_owned()
}

// shows in part: WR-044 (sessions of version 1 are still written as they were)
#[tokio::test]
async fn the_same_calls_leave_the_same_bytes_today_and_ever() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let first = told(one.path(), 1, &forwards).await;
    let second = told(other.path(), 1, &forwards).await;
    assert_eq!(tree(one.path()), tree(other.path()));
    for ((_, here), (_, there)) in first.calls.iter().zip(&second.calls) {
        assert_eq!(body(here), body(there));
    }
    assert_eq!(segments(one.path()), SESSION);
    assert_eq!(manifest(one.path()), MANIFEST);
}

// shows in part: WR-044 (sessions of version 1 are still read)
#[test]
fn the_frozen_session_is_read_and_has_every_kind_of_event() {
    let read = |line: &str| serde_json::from_str::<SessionEvent>(line).unwrap();
    let events: Vec<_> = SESSION.lines().map(read).collect();
    assert_eq!(validate(&events), Ok(()));
    for (event, line) in events.iter().zip(SESSION.lines()) {
        assert_eq!(canonical::encode(event).unwrap().as_str(), line);
    }
    for kind in EventKind::ALL {
        let mark = format!(r#""kind":"{kind}""#);
        assert!(SESSION.contains(&mark), "{kind}");
    }
}

// shows: WR-030
#[tokio::test]
async fn other_luck_changes_ids_and_nothing_else() {
    for seed in [2, 77] {
        let dir = tempfile::tempdir().unwrap();
        told(dir.path(), seed, &forwards).await;
        let segments = segments(dir.path());
        assert_ne!(segments, SESSION);
        assert_eq!(numbered(&segments), numbered(SESSION));
    }
}

/// A log without its timestamps.
fn without_times(log: &str) -> Vec<Value> {
    let timeless = |line: &str| {
        let mut event: Value = serde_json::from_str(line).unwrap();
        event.as_object_mut().unwrap().remove("timestampMs").unwrap();
        event
    };
    log.lines().map(timeless).collect()
}

// shows: WR-029, WR-057
#[tokio::test]
async fn a_clock_that_runs_backwards_changes_timestamps_and_nothing_else() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let first = told(one.path(), 1, &forwards).await;
    let now = std::cell::Cell::new(1_700_000_000_000_u64);
    let backwards = |rig: &Rig| {
        now.set(now.get() - 3_600_000);
        rig.clock.set(TimestampMs(now.get()));
    };
    let second = told(other.path(), 1, &backwards).await;
    let (forth, back) = (segments(one.path()), segments(other.path()));
    assert_ne!(forth, back);
    assert_eq!(without_times(&forth), without_times(&back));
    let cold = [Rig::local(one.path(), 3), Rig::local(other.path(), 4)];
    assert_eq!(first.answers(&cold[0].sessions).await, second.answers(&cold[1].sessions).await);
    let ends = [first.end(&cold[0].sessions).await, second.end(&cold[1].sessions).await];
    assert_eq!(ends[0], ends[1]);
}
