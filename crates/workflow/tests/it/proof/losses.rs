//! Data directories of which a part is gone or was changed.

use std::path::Path;
use std::sync::Arc;

use piton_core::Code;
use piton_store::local::{DataDir, LocalIndex};
use piton_store::port::Blobs;
use piton_workflow::compile::{CompiledWorkflow, Definitions, ProvenanceSource, compile};
use piton_workflow::run_index::RunIndex;
use piton_workflow::session::{Checkpoint, Continue};
use piton_workflow::snapshot::derive_pending_step;
use piton_workflow::{Autonomy, ExecutionSnapshot};
use serde_json::json;

use super::bytes::tree;
use super::story::tell;
use crate::engine::samples::{control, step, workflow};
use crate::session::rig::{Rig, ack, body, pending, start_with, state};
use crate::source::{origin, rich};

/// What a new process lists, with what it keeps of it.
async fn listed(root: &Path) -> String {
    let rig = Rig::local(root, 60);
    let index = LocalIndex::new(DataDir::open(root).unwrap());
    let blobs = Arc::<dyn Blobs>::clone(&rig.blobs);
    let recall = RunIndex::new(Arc::clone(&rig.journal) as _, blobs as _, Arc::new(index));
    let listing = recall.list().await.unwrap();
    assert!(listing.troubled.is_empty(), "{listing:?}");
    serde_json::to_string(&listing.runs.iter().map(AsRef::as_ref).collect::<Vec<_>>()).unwrap()
}

// shows: WR-052
#[tokio::test]
async fn nothing_is_lost_with_the_cache() {
    let dir = tempfile::tempdir().unwrap();
    let story = tell(&Rig::local(dir.path(), 1), &|_| {}).await;
    let (before, answers) =
        (listed(dir.path()).await, story.answers(&Rig::local(dir.path(), 2).sessions).await);
    let cache = dir.path().join("index");
    let change: [&dyn Fn(&Path); 4] = [
        &|file| std::fs::write(file, b"").unwrap(),
        &|file| std::fs::write(file, b"{\"v\":1}").unwrap(),
        &|file| {
            let mut bytes = std::fs::read(file).unwrap();
            bytes.truncate(bytes.len() / 2);
            std::fs::write(file, bytes).unwrap();
        },
        &|file| std::fs::remove_file(file).unwrap(),
    ];
    for change in change {
        let files = tree(&cache);
        assert!(!files.is_empty(), "a look leaves something to change");
        for file in files.keys() {
            change(&cache.join(file));
        }
        assert_eq!(story.answers(&Rig::local(dir.path(), 3).sessions).await, answers);
        assert_eq!(listed(dir.path()).await, before);
    }
    std::fs::remove_dir_all(&cache).unwrap();
    assert_eq!(listed(dir.path()).await, before);
}

// shows: WR-219
#[tokio::test]
async fn tokens_are_good_wherever_log_blobs_and_keys_are() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let story = tell(&Rig::local(dir.path(), 1), &|_| {}).await;
    listed(dir.path()).await;
    let mut left_out = 0;
    for (name, bytes) in tree(dir.path()) {
        let starts = |part: &str| name.starts_with(part);
        let is_log = name.ends_with("manifest.jsonl") || name.iter().any(|part| part == "events");
        let is_blob = starts("snapshots") || starts("artifacts") || starts("workflows/pinned");
        if (starts("sessions") && is_log) || is_blob || name.ends_with("keyring.json") {
            std::fs::create_dir_all(other.path().join(&name).parent().unwrap()).unwrap();
            std::fs::write(other.path().join(&name), bytes).unwrap();
        } else {
            left_out += 1;
        }
    }
    assert!(left_out > 0, "there is more than that");
    let (here, there) = (Rig::local(dir.path(), 2), Rig::local(other.path(), 2));
    assert_eq!(story.answers(&there.sessions).await, story.answers(&here.sessions).await);
    let call = story.last.body.next_call.clone().unwrap();
    let request =
        Continue { ack_token: call.params.ack_token, ..ack(&story.last, "Look.", vec![]) };
    assert_eq!(pending(&there.sessions.proceed(request).await.unwrap()), "decide");
}

// shows: WR-220
#[tokio::test]
async fn no_token_is_ever_stored() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::local(dir.path(), 1);
    let story = tell(&rig, &|_| {}).await;
    listed(dir.path()).await;
    let replies = story.end(&rig.sessions).await;
    let mut tokens = vec!["st.v1.".to_owned(), "ack.v1.".to_owned(), "chk.v1.".to_owned()];
    for reply in story.replies.iter().chain(&replies) {
        let params = reply.body.next_call.clone().map(|call| call.params).unwrap_or_default();
        tokens.extend([params.ack_token, params.state_token].into_iter().flatten());
    }
    assert!(tokens.len() > 10);
    for (path, bytes) in tree(dir.path()) {
        let text = String::from_utf8_lossy(&bytes);
        let found = tokens.iter().find(|token| text.contains(token.as_str()));
        assert_eq!(found, None, "{}", path.display());
    }
}

// shows: WR-115
#[tokio::test]
async fn a_run_whose_pinned_workflow_is_gone_is_refused_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::local(dir.path(), 1);
    let compiled = workflow(&[step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let second = rig.notes(&first, "One.").await;
    for (file, _) in tree(&dir.path().join("workflows/pinned")) {
        std::fs::remove_file(dir.path().join("workflows/pinned").join(file)).unwrap();
    }
    let before = tree(dir.path());
    let cold = || Rig::local(dir.path(), 2).sessions;
    for request in [ack(&second, "Two.", vec![]), ack(&first, "One.", vec![]), state(&second)] {
        let error = cold().proceed(request).await.unwrap_err();
        assert_eq!(error.code(), Code::StoreNotFound, "{error}");
    }
    let bookmark = Checkpoint {
        checkpoint_token: second.body.checkpoint_token.clone().unwrap(),
        output: None,
        label: None,
    };
    assert_eq!(cold().checkpoint(bookmark).await.unwrap_err().code(), Code::StoreNotFound);
    assert_eq!(tree(dir.path()), before);
}

// shows in part: WR-114, WR-384 (a pinned run keeps its text)
#[tokio::test]
async fn a_source_that_changes_does_not_change_a_run_that_began() {
    let dir = tempfile::tempdir().unwrap();
    let changed = |prompt: &str| {
        let mut last = step("two");
        last["prompt"] = json!(prompt);
        workflow(&[step("one"), last])
    };
    let (old, new) = (changed("The old way."), changed("The new way."));
    let run = Rig::local(dir.path(), 1).start(&old).await;
    let other = Rig::local(dir.path(), 2).start(&new).await;
    for (run, prompt) in [(run, "The old way."), (other, "The new way.")] {
        let second = Rig::local(dir.path(), 3).notes(&run, "One.").await;
        assert!(second.body.pending.unwrap().prompt.contains(prompt));
    }
}

// shows: WR-364 (with no_run_names_what_only_a_compiler_asks)
// shows in part: WR-381 (a run shows a text that no registry has)
#[tokio::test]
async fn a_run_needs_nothing_but_its_store() {
    const ONLY_COMPILED: &str = "Only the compiler knew this text.";
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut catalog = Definitions::standard();
    catalog.refs.insert("wr.refs.notes_first".parse().unwrap(), ONLY_COMPILED.into());
    let compiled = compile(&rich().to_string(), &origin(), &catalog).unwrap();
    let begin = start_with(&compiled, Autonomy::FullAutoNeverStop);
    let with_source = Rig::local(dir.path(), 1);
    let mut here = with_source.sessions.start(begin.clone()).await.unwrap();
    let mut there = Rig::local(other.path(), 1).sessions.start(begin).await.unwrap();
    let (mut steps, mut gaps, mut shown) = (0, 0, false);
    while !here.body.is_complete {
        assert_eq!(body(&here), body(&there), "step {steps}");
        let said = pending(&here).to_owned();
        shown |= there.body.pending.as_ref().unwrap().prompt.contains(ONLY_COMPILED);
        let artifacts = match said.as_str() {
            "decide" => vec![control("rounds", "stop")],
            "wr_capabilities--web_browsing--probe" => vec![json!({
                "kind": "wr.capability_observation", "capability": "web_browsing",
                "result": "failure", "failureCode": "tool_missing",
            })],
            _ => vec![],
        };
        let request = ack(&here, "Short.", artifacts);
        here = with_source.sessions.proceed(request.clone()).await.unwrap();
        // Each step in a process of its own, which has seen neither a source nor a catalogue.
        let alone = Rig::local(other.path(), 100 + steps);
        there = alone.sessions.proceed(request).await.unwrap();
        gaps += there.body.gaps_recorded.len();
        steps += 1;
    }
    assert_eq!(body(&here), body(&there));
    assert!(steps > 3 && gaps > 1 && shown, "{steps} steps, {gaps} gaps");
    // What is pinned says who brought each step, and is all that there is.
    let pinned = tree(&other.path().join("workflows/pinned"));
    let pinned: Vec<_> = pinned.into_values().filter(|bytes| !bytes.is_empty()).collect();
    let [pinned] = pinned.as_slice() else { panic!("one workflow is pinned") };
    let read = CompiledWorkflow::read(pinned).unwrap();
    let provenance: Vec<_> = read.steps.iter().map(|step| step.provenance.source).collect();
    assert_eq!(provenance[0], ProvenanceSource::FeatureInjected);
    assert!(provenance.contains(&ProvenanceSource::TemplateInjected), "{provenance:?}");
    assert_eq!(read, compiled);
}

// shows: WR-248
#[tokio::test]
async fn a_replay_needs_nothing_that_a_decision_needs() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::local(dir.path(), 1);
    let compiled = workflow(&[step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let second = rig.notes(&first, "One.").await;
    let here = rig.sessions.proceed(state(&first)).await.unwrap();
    let snapshots = dir.path().join("snapshots");
    for (file, bytes) in tree(&snapshots).into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
        let snapshot = ExecutionSnapshot::decode(&bytes).unwrap();
        if derive_pending_step(&snapshot).is_some_and(|step| step.step_id.as_str() == "one") {
            std::fs::remove_file(snapshots.join(file)).unwrap();
        }
    }
    // What the step was judged and left by is gone; what was answered is not.
    let cold = Rig::local(dir.path(), 2);
    assert_eq!(body(&cold.notes(&first, "One.").await), body(&second));
    let error = cold.sessions.proceed(ack(&here, "One, again.", vec![])).await.unwrap_err();
    assert_eq!(error.code(), Code::StoreNotFound, "{error}");
}
