//! Backpacks as their owner inspects them, page by page, and the flow that ran on one.

use std::sync::Arc;

use piton_backpack::journal::{BackpackEvent, Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{BackpackPorts, NodeIdentity, Options, PackOptions};
use piton_core::TimestampMs;
use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_models::scripted::Scripted;
use piton_runtime::backpack::inspect::{
    BackpackReference, Backpacks, FlowGraph, FlowNodeState, Hidden, LogFilter, PointReference,
    Reveal,
};
use piton_runtime::bounds::{BACKPACK_DIFF_BYTES_MAX, VALUE_SHOWN_BYTES_MAX};
use piton_runtime::flow::{FlowPorts, Flows, Initial, RunFlow, RunOptions, RunStatus, Tools};
use piton_runtime::page::Page;
use piton_store::memory::{MemoryBlobs, MemoryJournal};
use serde_json::{Map, Value, json};

fn ports() -> JournalPorts {
    let clock = Arc::new(ManualClock::new(TimestampMs(1_000)));
    let blobs = MemoryBlobs::new(clock.clone());
    JournalPorts {
        journal: Arc::new(MemoryJournal::<BackpackEvent>::new(blobs.clone())),
        blobs: Arc::new(blobs),
        ports: BackpackPorts { clock, entropy: Arc::new(SeededEntropy::new(4)) },
    }
}

async fn pack(ports: &JournalPorts, id: &str, items: &[(&str, Value, bool)]) {
    let holder = Holder::new("a test").unwrap();
    let id = id.parse().unwrap();
    let opened =
        JournaledBackpack::open(&id, holder, Mode::Durable, Options::default(), ports.clone());
    let backpack = opened.await.unwrap().backpack;
    let scope = backpack.scope(NodeIdentity::new("node", "node").unwrap(), None).unwrap();
    for (key, value, is_personal) in items {
        let tags: &[&str] = if *is_personal { &["pii"] } else { &[] };
        let options = PackOptions::new().tagged(tags.iter().copied()).unwrap();
        scope.pack_with(key, value, &options).unwrap().done().unwrap();
    }
    backpack.close().await.unwrap();
}

fn named(text: &str) -> BackpackReference {
    BackpackReference(text.to_owned())
}

#[tokio::test]
async fn long_lists_of_a_backpack_are_read_page_by_page() {
    let ports = ports();
    let keys: Vec<String> = (0..7).map(|number| format!("key{number}")).collect();
    let items: Vec<(&str, Value, bool)> =
        keys.iter().map(|key| (key.as_str(), json!(key), false)).collect();
    for id in ["one", "two", "three"] {
        pack(&ports, id, &items).await;
    }
    let all = Backpacks::new(ports);
    let mut listed = Vec::new();
    for from in 0..3 {
        let page = all.list(Page { from, limit: 1 }).await.unwrap();
        assert_eq!((page.backpacks.len(), page.left_out), (1, 2 - from));
        listed.extend(page.backpacks.into_iter().map(|line| line.id.to_string()));
    }
    let whole = all.list(Page::default()).await.unwrap();
    assert_eq!(listed, whole.backpacks.iter().map(|line| line.id.to_string()).collect::<Vec<_>>());
    let (one, page) = (named("one"), Page { from: 5, limit: 9 });
    let state = all.at(&one, &PointReference::Newest, page).await.unwrap();
    let shown: Vec<&str> = state.items.iter().map(|item| item.key.as_str()).collect();
    assert_eq!((shown, state.left_out), (vec!["key5", "key6"], 0));
    // The log continues where the page before ended, whatever is packed meanwhile.
    let (mut before, mut seen) = (None, Vec::new());
    loop {
        let filter = LogFilter { before, limit: 3, ..LogFilter::default() };
        let page = all.log(&named("one"), &filter).await.unwrap();
        seen.extend(page.commits.iter().map(|commit| commit.key.to_string()));
        let Some(next) = page.next else { break };
        before = Some(next.to_string());
    }
    assert_eq!(seen, keys.iter().rev().cloned().collect::<Vec<_>>());
    let blame = all.blame(&named("one"), None, Page { from: 0, limit: 2 }).await.unwrap();
    assert_eq!((blame.lines.len(), blame.left_out), (2, 5));
}

#[tokio::test]
async fn a_protected_value_shows_its_size_and_reason_and_is_revealed_one_by_one() {
    let ports = ports();
    let items = [("name", json!("Ann"), true), ("place", json!("Bern"), false)];
    pack(&ports, "one", &items).await;
    let all = Backpacks::new(ports);
    let newest = PointReference::Newest;
    let item =
        async |key, reveal| all.item_part(&named("one"), &newest, key, reveal, 0).await.unwrap();
    let hidden = item("name", Reveal::Nothing).await;
    assert_eq!((hidden.value.text, hidden.value.hidden), (None, Some(Hidden::Pii)));
    assert_eq!(hidden.value.size, 5);
    assert!(!serde_json::to_string(&hidden.line).unwrap().contains("Ann"));
    assert_eq!(item("name", Reveal::Protected).await.value.text.as_deref(), Some("Ann"));
    assert_eq!(item("place", Reveal::Nothing).await.value.text.as_deref(), Some("Bern"));
    let log =
        all.log(&named("one"), &LogFilter { limit: 9, ..LogFilter::default() }).await.unwrap();
    assert!(!serde_json::to_string(&log).unwrap().contains("Ann"));
}

#[tokio::test]
async fn a_large_value_is_read_in_parts_and_a_large_difference_is_counted() {
    let ports = ports();
    let text = "é".repeat(VALUE_SHOWN_BYTES_MAX);
    let lines = format!("{}\n", "x".repeat(900)).repeat(300);
    let many: Vec<String> = (0..5).map(|number| format!("many{number}")).collect();
    let mut items = vec![("text", json!(text), false)];
    items.extend(many.iter().map(|key| (key.as_str(), json!(lines), false)));
    pack(&ports, "one", &items).await;
    pack(&ports, "two", &[]).await;
    pack(&ports, "two", &[("other", json!(1), false)]).await;
    let all = Backpacks::new(ports);
    let (mut whole, mut from) = (String::new(), 0);
    loop {
        let (one, newest) = (named("one"), PointReference::Newest);
        let part = all.item_part(&one, &newest, "text", Reveal::Nothing, from).await;
        let value = part.unwrap().value;
        let part = value.text.unwrap();
        assert!(part.len() <= VALUE_SHOWN_BYTES_MAX && value.from_byte == whole.len());
        whole.push_str(&part);
        from = whole.len();
        if value.left_out_bytes == 0 {
            break;
        }
    }
    assert_eq!(whole, text);
    let newest = PointReference::Newest;
    let (one, two) = (named("one"), named("two"));
    let diff = all.diff((&two, &newest), (&one, &newest), Reveal::Nothing).await.unwrap();
    let bytes: usize =
        diff.changes.iter().flat_map(|change| &change.diff).map(|line| line.text.len()).sum();
    assert!(bytes < 2 * BACKPACK_DIFF_BYTES_MAX, "{bytes}");
    let last = diff.changes.iter().find(|change| change.key.as_str() == "many4").unwrap();
    assert_eq!((last.diff.len(), last.left_out_lines), (0, 300));
}

async fn graph(texts: &[&str]) -> (RunStatus, FlowGraph) {
    let node = |id: &str| json!({ "id": id, "type": "chat", "params": { "prompt": "Go on.", "output": id } });
    let inner = json!({ "id": "inner", "nodes": [node("b"), node("c")], "edges": [{ "from": "b", "to": "c" }] });
    let flow = json!({
        "version": "2.0.0",
        "nodes": [node("a"), node("d")],
        "edges": [{ "from": "a", "to": "inner" }, { "from": "inner", "to": "d" }],
        "subflows": [inner],
    });
    let journal = ports();
    let clock = Arc::new(ManualClock::new(TimestampMs(1_000)));
    let flows = Flows::new(FlowPorts {
        journal: journal.clone(),
        timer: clock,
        models: Arc::new(Scripted::with_texts(texts)),
        tools: Tools::default(),
    });
    let request = RunFlow {
        text: &flow.to_string(),
        backpack: Some("one".parse().unwrap()),
        initial: Initial { items: Map::new(), pii: Map::new() },
        options: RunOptions::default(),
    };
    let ran = flows.run(request, &|_| {}).await.unwrap();
    let graph = Backpacks::new(journal).flow_graph(&named("one")).await.unwrap().unwrap();
    (ran.status, graph)
}

fn states(graph: &FlowGraph) -> Vec<(&str, FlowNodeState)> {
    let mut states: Vec<_> =
        graph.nodes.iter().map(|node| (node.path.as_str(), node.state)).collect();
    states.sort_unstable_by_key(|(path, _)| *path);
    states
}

#[tokio::test]
async fn a_flow_is_a_graph_with_the_state_of_each_node() {
    use FlowNodeState::{Current, Finished, NotVisited};
    let (status, whole) = graph(&["1", "2", "3", "4"]).await;
    assert_eq!((status, whole.status), (RunStatus::Done, RunStatus::Done));
    let visited: Vec<&str> = states(&whole)
        .iter()
        .filter(|(_, state)| *state == Finished)
        .map(|(path, _)| *path)
        .collect();
    for path in ["a", "d", "inner/b", "inner/c"] {
        assert!(visited.contains(&path), "{whole:?}");
    }
    assert!(states(&whole).iter().all(|(_, state)| *state != Current));
    let starts: Vec<&str> =
        whole.nodes.iter().filter(|node| node.is_start).map(|node| node.path.as_str()).collect();
    assert_eq!(starts, ["a", "inner/b"]);
    let inside = whole.edges.iter().find(|edge| edge.from == "inner/b").unwrap();
    assert_eq!((inside.to.as_str(), inside.taken), ("inner/c", 1));
    // The second node fails, because nobody answers any more.
    let (status, part) = graph(&["1", "2"]).await;
    assert_eq!(status, RunStatus::Failed);
    assert!(states(&part).contains(&("inner/b", Finished)), "{part:?}");
    assert!(states(&part).contains(&("inner/c", Current)), "{part:?}");
    assert!(states(&part).contains(&("d", NotVisited)), "{part:?}");
}

#[tokio::test]
async fn a_backpack_without_a_flow_has_no_graph() {
    let ports = ports();
    pack(&ports, "one", &[("key", json!(1), false)]).await;
    assert_eq!(Backpacks::new(ports).flow_graph(&named("one")).await.unwrap(), None);
}
