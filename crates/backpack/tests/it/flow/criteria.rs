//! The five criteria of the product's requirements, by name, on one run: a flow from JSON with a tool that fails, a model
//! over HTTP, and a backpack on a disk that is opened again before it is asked.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use piton_backpack::flow::{Flow, FlowState, Registry, RunOptions};
use piton_backpack::journal::{Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{
    Access, Action, Backpack, BackpackPorts, Commit, Filter, NodeId, NodeIdentity, Options,
    PackOptions,
};
use piton_core::Code;
use piton_core::port::NoTrace;
use piton_models::testing::{ModelServer, ScriptedReply};
use piton_store::local::{
    DataDir, LocalBlobs, LocalLeases, LogJournal, RealDisk, SystemClock, SystemEntropy,
};
use piton_store::testing::Recorder;
use serde_json::{Value, json};

use crate::flow::builtin::client;
use crate::flow::promises::{prices, research, run, sent};
use crate::flow::site::{clock, runner_with};

/// A state on a disk whose calls are recorded.
async fn open(root: &Path, recorder: &Recorder) -> FlowState {
    let dir = DataDir::on(Arc::new(recorder.clone()), root).unwrap();
    let blobs = LocalBlobs::new(dir.clone());
    let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
    let journal = LogJournal::backpacks(dir, blobs.clone(), leases, Arc::new(NoTrace));
    let ports = BackpackPorts { clock: Arc::new(SystemClock), entropy: Arc::new(SystemEntropy) };
    let ports = JournalPorts { journal: Arc::new(journal), blobs: Arc::new(blobs), ports };
    let (id, holder) = ("pack_sc".parse().unwrap(), Holder::new("a test").unwrap());
    let opened = JournaledBackpack::open(&id, holder, Mode::Durable, Options::default(), ports);
    FlowState::journaled(opened.await.unwrap().backpack).unwrap()
}

fn as_node(state: &FlowState, id: &str) -> piton_backpack::Scope {
    let namespace = format!("research.{id}").parse().unwrap();
    state.backpack().scope(NodeIdentity::new(id, id).unwrap().within(namespace), None).unwrap()
}

fn history(backpack: &Backpack) -> Vec<Commit> {
    backpack.debug().history(&Filter::default()).unwrap()
}

/// The keys in use and their values, as the commits up to a place say by themselves.
fn replayed(commits: &[Commit]) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for commit in commits {
        let key = commit.key().to_string();
        match commit.action() {
            Action::Pack | Action::Restore | Action::Delete => match commit.value() {
                Some(item) => drop(found.insert(key, item.value().unwrap())),
                None => drop(found.remove(&key)),
            },
            Action::Quarantine if commit.previous().is_some() => drop(found.remove(&key)),
            Action::Quarantine | Action::Unpack | Action::Deny => {}
        }
    }
    found
}

fn items(backpack: &Backpack) -> BTreeMap<String, Value> {
    let items = backpack.debug().items();
    items.iter().map(|item| (item.key().to_string(), item.value().unwrap())).collect()
}

// shows in part: BP-054 (on a disk), BP-022 (the state of every moment of a run)
#[tokio::test]
async fn the_five_criteria_hold_for_one_run() {
    let directory = tempfile::tempdir().unwrap();
    let recorder = Recorder::new(Arc::new(RealDisk));
    let server = ModelServer::start().await;
    server.push_reply(ScriptedReply::text("prices fell"));
    let state = open(directory.path(), &recorder).await;
    // Without a namespace, so that the prompt has it only where it names it.
    let _ =
        state.backpack().scope(NodeIdentity::system(), None).unwrap().pack("user", "Ada").unwrap();
    let pii = PackOptions::new().tagged(["pii"]).unwrap();
    let _ = as_node(&state, "sign-in").pack_with("email", "ada@canary", &pii).unwrap();
    recorder.take();
    run(&server, false, &state).await;
    let calls = recorder.take();
    drop(state);
    let state = open(directory.path(), &recorder).await;
    let (backpack, commits) = (state.backpack(), history(state.backpack()));

    // SC-1: what failed is in no prompt of a node after it, and is kept where people look.
    let prompt = sent(&server);
    assert!(prompt.contains("fell 3 %") && !prompt.contains("ECONNRESET"), "SC-1: {prompt}");
    let aside = backpack.debug().quarantined();
    let failed = aside.iter().filter(|entry| {
        entry
            .value::<Value>()
            .unwrap()
            .is_some_and(|value| value.to_string().contains("ECONNRESET"))
    });
    assert_eq!(failed.count(), 2, "SC-1: both attempts that failed are in the trace");

    // SC-2: from the answer to the node that gave it, to what that read, to the node that packed this.
    let by =
        |key: &str| backpack.debug().key_history(key).unwrap().pop().unwrap().author().id.clone();
    let asked = by("answer");
    let read = backpack.debug().access_log(&asked, Access::Read);
    let keys: Vec<String> = read.iter().map(|commit| commit.key().to_string()).collect();
    assert_eq!(
        (asked.as_str(), keys),
        ("sum-up", vec!["user".to_owned(), "found".to_owned()]),
        "SC-2"
    );
    assert_eq!(by("found").as_str(), "find", "SC-2");

    // SC-3: the state of every moment, as its commits say.
    for (place, commit) in commits.iter().enumerate() {
        let is_last =
            commits.get(place + 1).is_none_or(|next| next.timestamp() > commit.timestamp());
        let expected = replayed(&commits[..=place]);
        let at_commit = backpack.snapshot_at_commit(commit.id()).unwrap();
        assert_eq!(items(&at_commit), expected, "SC-3: at {}", commit.id());
        if is_last {
            let at_time = backpack.snapshot_at(commit.timestamp()).unwrap();
            assert_eq!(items(&at_time), expected, "SC-3: at {}", commit.timestamp());
        }
    }

    // SC-4: a node that was not named may not read what is about a person; it fails, and the secret is nowhere.
    assert!(!prompt.contains("canary"), "SC-4: {prompt}");
    let mut nosy = research(false);
    nosy["nodes"][1]["params"]["prompt"] = json!("Write to {{email}}");
    let tools = prices(&Arc::default());
    let flow = Flow::from_json(&nosy.to_string(), &Registry::builtin(tools.clone())).unwrap().flow;
    let runner = runner_with(client(&server), tools, clock());
    let error = runner.run(&flow, &state, RunOptions::default()).await.outcome.unwrap_err();
    let piton_backpack::flow::Error::Node { node, error: cause, .. } = &error else {
        panic!("{error:?}")
    };
    let (node, code) = (node.as_str(), cause.code());
    assert_eq!((node, code), ("sum-up", Some(Code::BackpackAccessDenied)), "SC-4");
    assert!(!error.to_string().contains("canary"), "SC-4: {error}");
    assert_eq!(server.seen().len(), 1, "SC-4: nothing was asked");

    // SC-5: how long it takes is measured by `cargo xtask bench flow`; what takes long is counted here. A node waits
    // for a sync for each of its own writes and for the record of the run, and never reads what was written.
    let count = |operation| calls.iter().filter(|call| call.operation == operation).count();
    let written = commits.iter().filter(|commit| commit.action() != Action::Unpack).count();
    assert!(count("sync") <= written, "SC-5: {} syncs for {written} writes", count("sync"));
    let bytes = calls.iter().filter(|call| call.operation == "read").map(|call| call.bytes);
    assert!(
        bytes.sum::<usize>() < 64 * 1024,
        "SC-5: a write reads at most the newest record again"
    );
    let visited = NodeId::parse("sum-up").unwrap();
    assert!(backpack.snapshot_before_node(&visited).is_ok());
}
