//! A run as a page shows it: its shape, its steps in detail, its events, its workflow and the drift of that.

use std::collections::BTreeMap;

use piton_core::Code;
use piton_runtime::bounds::{EVENTS_PAGE_MAX, PROMPT_SHOWN_BYTES_MAX, SHAPE_CACHED_NODES_MIN};
use piton_runtime::config::SettingKey;
use piton_runtime::reply::{PromptOrigin, Reply, StepChange};
use piton_runtime::request::{
    Continue, EventQuery, Freshness, NodeAddress, PersonVerdict, RunAddress, RunQuery,
    SessionReference, SettleRequest, SubmittedOutput,
};
use piton_runtime::workflow::{CollectMode, SetSetting};
use piton_runtime::{Connection, Runtime};
use serde_json::{Value, json};

use crate::rig::{Machine, notes, start, two_steps};

fn address(reply: &Reply) -> RunAddress {
    RunAddress { session: reply.body.run.session_id, run: reply.body.run.run_id }
}

/// The node with this index in the shape of a run.
async fn node(runtime: &Runtime, at: RunAddress, index: usize) -> NodeAddress {
    let shaped = runtime.run_shape(at, Freshness::Now).await.unwrap();
    let node = shaped.shape.nodes.id[index];
    NodeAddress { session: at.session, run: at.run, node }
}

fn file(prompt: &str) -> Value {
    json!({ "id": "project.drop", "steps": [
        { "id": "drop", "title": "Drop",
          "promptBlocks": {
              "goal": prompt,
              "constraints": [[{ "kind": "ref", "refId": "wr.refs.notes_first" }]],
          },
          "validationCriteria": [
              { "type": "contains", "value": "table", "message": "Name the table." },
          ],
          "needsUser": { "reason": "needs_user_approval", "question": "May it be dropped?" } },
        { "id": "end", "title": "End", "prompt": "End." },
    ]})
}

/// A run that was refused twice, approved, and left.
async fn dropped(machine: &Machine) -> (Connection, Reply) {
    machine.write("project/.piton/workflows/drop.json", &file("Drop the table.").to_string());
    let agent = machine.agent();
    let mut request = start("project.drop");
    request.context = json!({ "ticket": 7 }).as_object().cloned();
    let first = agent.start_workflow(request).await.unwrap();
    let short = notes(first.body.ack_token.as_ref(), "Dropped it.");
    let refused = agent.continue_workflow(short).await.unwrap();
    let artifact = json!({ "kind": "my.plan", "rows": [1, 2] });
    let output = SubmittedOutput {
        notes_markdown: Some("The table is ready to go.".to_owned()),
        artifacts: vec![artifact],
    };
    let again = Continue {
        ack_token: refused.body.ack_token.clone(),
        output: Some(output.clone()),
        ..Continue::default()
    };
    let waits = agent.continue_workflow(again).await.unwrap();
    let RunAddress { session, run } = address(&first);
    let by = Some("Anna".parse().unwrap());
    let yes = SettleRequest { by, ..SettleRequest::new(session, run, PersonVerdict::Approved) };
    machine.runtime().settle_question(yes).await.unwrap();
    let last = Continue {
        ack_token: waits.body.ack_token.clone(),
        output: Some(output),
        ..Continue::default()
    };
    agent.continue_workflow(last).await.unwrap();
    (agent, first)
}

// shows: WR-514 (with a_shape_folds_the_probes_that_piton_added, probes that Piton added are folded until somebody opens them or the run is at one)
#[tokio::test]
async fn a_step_is_shown_with_everything_that_is_recorded_about_it() {
    let machine = Machine::in_memory();
    let (_, first) = dropped(&machine).await;
    let runtime = machine.runtime();
    let at = node(&runtime, address(&first), 0).await;
    let detail = runtime.step_detail(at).await.unwrap();
    assert_eq!(detail.step.as_ref().unwrap().number, 1);

    let prompt: String = detail.prompt.iter().map(|piece| piece.text.as_str()).collect();
    let sent = &first.body.pending.as_ref().unwrap().prompt;
    assert_eq!(prompt, *sent, "the parts are the prompt");
    let origins: BTreeMap<PromptOrigin, &str> =
        detail.prompt.iter().map(|piece| (piece.origin, piece.text.as_str())).collect();
    assert!(origins[&PromptOrigin::Author].contains("Constraints"), "{origins:?}");
    assert!(origins[&PromptOrigin::Requirements].contains("OUTPUT REQUIREMENTS"), "{origins:?}");
    assert!(origins[&PromptOrigin::Person].contains("May it be dropped?"), "{origins:?}");
    let reference =
        detail.prompt.iter().find(|piece| piece.origin == PromptOrigin::Reference).unwrap();
    assert_eq!(reference.name.as_deref(), Some("wr.refs.notes_first"));

    let attempts = &detail.attempts.items;
    let blockers: Vec<usize> = attempts.iter().map(|attempt| attempt.blockers.len()).collect();
    assert_eq!(blockers, [2, 1, 0]);
    assert!(attempts[0].blockers.iter().all(|blocker| blocker.suggested_fix.is_some()));
    assert!(attempts[2].reached.is_some());
    let outputs: Vec<_> = detail
        .outputs
        .items
        .iter()
        .map(|output| (output.notes.is_some(), output.superseded))
        .collect();
    let (notes, artifact) = (true, false);
    let expected =
        [(notes, true), (artifact, true), (notes, true), (artifact, false), (notes, false)];
    let mut sorted = outputs.clone();
    sorted.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(sorted, expected, "superseded ones are shown too: {outputs:?}");
    let plan = detail.outputs.items.iter().find_map(|output| output.artifact.as_ref()).unwrap();
    assert_eq!(plan.content.as_ref().unwrap()["rows"], json!([1, 2]));

    let decisions = &detail.decisions.items;
    assert_eq!(decisions[0].by.as_ref().unwrap().as_str(), "Anna");
    assert!(detail.gaps.items.iter().any(|gap| gap.gap.evidence_refs.is_some()));
    assert!(detail.trace.collapsed && !detail.trace.traces.items.is_empty());
    let context: Vec<_> = detail.context.items.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(context, ["goal", "ticket"]);
    assert_eq!(detail.children.items.len(), 1);
    assert!(detail.damage.is_none() && detail.unreadable.is_none());

    let wrong = NodeAddress { node: piton_core::NodeId::from_bytes([9; 16]), ..at };
    assert_eq!(runtime.step_detail(wrong).await.unwrap_err().code, Code::SessionNotFound);
}

#[tokio::test]
async fn a_step_of_any_size_fits_into_a_megabyte_and_what_is_left_out_is_counted() {
    let machine = Machine::in_memory();
    // A file is smaller than what is filled in.
    let file = json!({
        "id": "project.long", "name": "Long", "description": "A long prompt.", "version": "1.0.0",
        "steps": [
            { "id": "one", "title": "One", "prompt": "Read {{a}}{{b}}{{c}}.",
              "validationCriteria": [{ "type": "contains", "value": "never", "message": "Never." }] },
            { "id": "two", "title": "Two", "prompt": "End." },
        ],
    });
    machine.write("project/.piton/workflows/long.json", &file.to_string());
    let agent = machine.agent();
    let mut request = start("project.long");
    let value = "\u{e9}\u{1}".repeat(PROMPT_SHOWN_BYTES_MAX / 7);
    request.context = json!({ "a": value, "b": value, "c": value }).as_object().cloned();
    let first = agent.start_workflow(request).await.unwrap();
    let mut token = first.body.ack_token.clone();
    // Outputs that are refused again and again, each with notes and artifacts.
    for turn in 0..40 {
        let artifact = |number: i32| json!({ "kind": "wr.divergence", "turn": turn, "n": number });
        let output = SubmittedOutput {
            notes_markdown: Some("\u{1}".repeat(4000)),
            artifacts: (0..8).map(artifact).collect(),
        };
        let call = Continue { ack_token: token, output: Some(output), ..Continue::default() };
        token = agent.continue_workflow(call).await.unwrap().body.ack_token;
    }
    let runtime = machine.runtime();
    let at = node(&runtime, address(&first), 0).await;
    let detail = runtime.step_detail(at).await.unwrap();
    let bytes = serde_json::to_vec(&detail).unwrap().len();
    assert!(bytes < 1024 * 1024, "{bytes}");
    assert_eq!(detail.attempts.items.len() + detail.attempts.left_out, 40);
    assert!(detail.outputs.left_out > 0);
    assert_eq!(detail.outputs.items.len() + detail.outputs.left_out, 40 * 9);
    // The rest of the prompt is a call away.
    assert!(detail.prompt_bytes_left_out > 0);
    let mut whole = String::new();
    let mut offset = Some(0);
    while let Some(from) = offset {
        let part = runtime.prompt_part(at, from).await.unwrap();
        whole.push_str(&part.text);
        offset = part.next_offset;
    }
    assert_eq!(whole, first.body.pending.unwrap().prompt);
}

#[tokio::test]
async fn every_event_is_on_some_page_as_it_is_recorded() {
    let machine = Machine::in_memory();
    let (_, first) = dropped(&machine).await;
    let runtime = machine.runtime();
    let RunAddress { session, .. } = address(&first);
    let stream = piton_store::StreamId::from(session);
    let recorded = machine.ports.journal.load(&stream).await.unwrap().events;
    for limit in [1, 7, 200, usize::MAX] {
        let (mut read, mut from) = (Vec::new(), 0);
        loop {
            let query = EventQuery { from, limit, node: None };
            let page = runtime.event_page(session, query).await.unwrap();
            assert!(page.events.len() <= limit.min(EVENTS_PAGE_MAX));
            assert_eq!(page.total, recorded.len() as u64);
            read.extend(page.events);
            let Some(next) = page.next else { break };
            from = next.get();
        }
        assert_eq!(read, recorded);
    }
    let at = node(&runtime, address(&first), 1).await;
    let query = EventQuery { from: 0, limit: 200, node: Some(at.node) };
    let page = runtime.event_page(session, query).await.unwrap();
    let kinds: Vec<_> = page.events.iter().map(|event| event.body().kind().to_string()).collect();
    assert_eq!(kinds, ["node_created", "edge_created"]);
    let beyond = EventQuery { from: 10_000, limit: 5, node: None };
    let page = runtime.event_page(session, beyond).await.unwrap();
    assert_eq!((page.events.len(), page.next), (0, None));
}

#[tokio::test]
async fn a_damaged_session_shows_its_valid_beginning_everywhere() {
    let machine = Machine::on_disk();
    let (_, first) = dropped(&machine).await;
    let at = address(&first);
    let whole = machine.runtime().run_shape(at, Freshness::Now).await.unwrap();
    assert!(whole.damage.is_none() && whole.cursor.is_some());
    let session = at.session.to_string();
    let events = machine.data().join("sessions").join(&session).join("events");
    let mut segments: Vec<_> =
        std::fs::read_dir(events).unwrap().map(|entry| entry.unwrap().path()).collect();
    segments.sort();
    std::fs::write(segments.last().unwrap(), "{}\n").unwrap();

    let runtime = machine.runtime();
    let shaped = runtime.run_shape(at, Freshness::Now).await.unwrap();
    let damage = shaped.damage.unwrap();
    assert!(damage.suggestion.contains(&format!("piton session verify {session}")), "{damage:?}");
    assert_eq!((whole.shape.nodes.id.len(), shaped.shape.nodes.id.len()), (2, 1));
    assert!(shaped.cursor.is_none());
    let node = NodeAddress { session: at.session, run: at.run, node: shaped.shape.nodes.id[0] };
    let detail = runtime.step_detail(node).await.unwrap();
    assert!(detail.damage.is_some());
    assert_eq!(detail.attempts.items.len(), 2, "the third is in the damaged part");
    let query = EventQuery { from: 0, limit: 200, node: None };
    let page = runtime.event_page(at.session, query).await.unwrap();
    assert!(page.damage.is_some());
    assert_eq!(page.events.len() as u64, page.total);
}

#[tokio::test]
async fn a_new_process_takes_a_long_shape_from_the_cache_until_something_is_appended() {
    let machine = Machine::in_memory();
    let file = json!({
        "id": "project.long",
        "conditions": [{ "conditionId": "again", "kind": "loop_control", "loopId": "rounds" }],
        "steps": [{
            "type": "loop", "loopId": "rounds", "maxIterations": 900,
            "while": { "kind": "condition_ref", "conditionId": "again" },
            "body": [{ "id": "work", "title": "Work", "prompt": "Work.",
                       "outputContract": { "contractRef": "wr.contracts.loop_control" } }],
        }],
    });
    machine.write("project/.piton/workflows/long.json", &file.to_string());
    let agent = machine.agent();
    let first = agent.start_workflow(start("project.long")).await.unwrap();
    let at = address(&first);
    let mut token = first.body.ack_token.clone();
    let mut nodes = 1;
    while nodes <= SHAPE_CACHED_NODES_MIN {
        let go_on =
            json!({ "kind": "wr.loop_control", "loopId": "rounds", "decision": "continue" });
        let output = SubmittedOutput { notes_markdown: None, artifacts: vec![go_on] };
        let call = Continue { ack_token: token, output: Some(output), ..Continue::default() };
        token = agent.continue_workflow(call).await.unwrap().body.ack_token;
        nodes += 1;
    }
    let whole = machine.runtime().run_shape(at, Freshness::Now).await.unwrap();
    assert_eq!(
        machine.runtime().run_shape(at, Freshness::Now).await.unwrap(),
        whole,
        "from the cache it is the same"
    );
    // Another title in the cache shows who answers.
    let key = piton_store::port::CacheKey {
        stream: piton_store::StreamId::from(at.session),
        projection: "shape".parse().unwrap(),
        version: piton_workflow::projection::SHAPE_VERSION,
    };
    let entry = machine.ports.cache.get(&key).await.unwrap().unwrap();
    let forged = String::from_utf8(entry).unwrap().replace("\"Work\"", "\"Forged\"");
    machine.ports.cache.put(&key, forged.into_bytes()).await.unwrap();
    let known = machine.runtime();
    known.pinned_workflow(at).await.unwrap();
    assert_eq!(
        known.run_shape(at, Freshness::Now).await.unwrap(),
        whole,
        "events that were read count more"
    );
    assert_eq!(
        machine.runtime().run_shape(at, Freshness::Now).await.unwrap().shape.titles,
        ["Forged"]
    );

    let stop = json!({ "kind": "wr.loop_control", "loopId": "rounds", "decision": "stop" });
    let output = SubmittedOutput { notes_markdown: None, artifacts: vec![stop] };
    let call = Continue { ack_token: token, output: Some(output), ..Continue::default() };
    agent.continue_workflow(call).await.unwrap();
    let cached = machine.runtime().run_shape(at, Freshness::Indexed).await.unwrap();
    assert_eq!(
        (cached.shape.nodes.id.len(), cached.is_behind),
        (nodes, true),
        "it is there at once"
    );
    let grown = machine.runtime().run_shape(at, Freshness::Now).await.unwrap();
    assert!(!grown.is_behind);
    assert_eq!(
        (grown.shape.nodes.id.len(), grown.shape.titles),
        (nodes + 1, vec!["Work".to_owned()])
    );
    // What is no entry is a miss.
    machine.ports.cache.put(&key, b"{}".to_vec()).await.unwrap();
    assert_eq!(
        machine.runtime().run_shape(at, Freshness::Now).await.unwrap().shape.titles,
        ["Work"]
    );
}

// shows: WR-510, WR-511
#[tokio::test]
async fn a_run_keeps_its_pinned_workflow_and_says_what_its_source_changed() {
    let machine = Machine::in_memory();
    let (_, first) = dropped(&machine).await;
    let (runtime, at) = (machine.runtime(), address(&first));
    let project = machine.project();
    let same = runtime.workflow_drift(at, Some(&project)).await.unwrap();
    assert!(!same.is_drifted);
    assert_eq!(same.drift.unwrap().steps, []);

    let mut edited = file("Drop the table, and its indices.");
    edited["steps"][1]["id"] = json!("finish");
    machine.write("project/.piton/workflows/drop.json", &edited.to_string());
    let drift = machine.runtime().workflow_drift(at, Some(&project)).await.unwrap();
    assert!(drift.is_drifted);
    let drift = drift.drift.unwrap();
    let steps: Vec<_> =
        drift.steps.iter().map(|step| (step.step_id.as_str(), step.change)).collect();
    let expected = [
        ("drop", StepChange::Changed),
        ("end", StepChange::Removed),
        ("finish", StepChange::Added),
    ];
    assert_eq!(steps, expected);
    let fields: Vec<_> = drift.steps[0].fields.iter().map(|field| field.field.as_str()).collect();
    assert_eq!(fields, ["prompt", "promptBlocks"]);
    let prompt = drift.steps[0].fields[0].current.as_ref().unwrap().as_str().unwrap();
    assert!(prompt.contains("and its indices"), "{prompt}");
    assert_eq!(
        drift.fields.iter().map(|field| field.field.as_str()).collect::<Vec<_>>(),
        ["sequence"]
    );

    // Source, compiled and pinned are three things: the run still has the old one.
    let pinned = machine.runtime().pinned_workflow(at).await.unwrap();
    assert_eq!(pinned.compiled.workflow_hash(), pinned.workflow_hash);
    assert_eq!(pinned.workflow_hash, drift.pinned_hash);
    assert!(!pinned.compiled.steps[0].prompt.contains("and its indices"));

    std::fs::remove_file(project.join(".piton/workflows/drop.json")).unwrap();
    let gone = machine.runtime().workflow_drift(at, Some(&project)).await.unwrap();
    assert!(gone.is_drifted && gone.drift.is_none());
    assert!(gone.missing.is_some());
}

#[tokio::test]
async fn the_steps_of_a_workflow_are_counted_over_its_runs() {
    let machine = Machine::in_memory();
    let (_, _) = dropped(&machine).await;
    machine.write("project/.piton/workflows/other.json", &two_steps("project.other"));
    let agent = machine.agent();
    agent.start_workflow(start("project.other")).await.unwrap();
    let second = machine.agent().start_workflow(start("project.drop")).await.unwrap();
    let call = notes(second.body.ack_token.as_ref(), "Dropped it.");
    machine.agent().continue_workflow(call).await.unwrap();

    let counted = machine.runtime().workflow_stats("project.drop").await.unwrap();
    let stats = &counted.stats;
    assert_eq!((stats.runs, stats.completed, stats.versions), (2, 0, 1));
    let [drop, end] = stats.steps.as_slice() else { panic!("{stats:?}") };
    assert_eq!(
        (drop.step_id.as_str(), drop.visits, drop.attempts, drop.refused, drop.asked),
        ("drop", 2, 4, 2, 1)
    );
    let reasons: Vec<_> =
        drop.refusals.iter().map(|reason| (reason.reason.as_str(), reason.count)).collect();
    let person = "The step `drop` needs a person: May it be dropped?";
    assert_eq!(reasons, [("Name the table.", 2), (person, 2)]);
    assert_eq!((end.visits, end.attempts), (1, 0));
    assert_eq!((counted.runs_left_out, counted.unreadable), (0, 0));
    let none = machine.runtime().workflow_stats("project.none").await.unwrap_err();
    assert_eq!(none.code, Code::SessionNotFound);
}

#[cfg(feature = "flow")]
#[test]
fn every_reply_has_a_schema() {
    use piton_runtime::reply::{
        CountedRuns, EventPage, Inbox, PinnedRun, PromptPart, RunDrift, ShapedRun, StepDetail,
        StepWrites,
    };
    let schemas = [
        schemars::schema_for!(ShapedRun),
        schemars::schema_for!(StepDetail),
        schemars::schema_for!(StepWrites),
        schemars::schema_for!(PromptPart),
        schemars::schema_for!(EventPage),
        schemars::schema_for!(Inbox),
        schemars::schema_for!(PinnedRun),
        schemars::schema_for!(RunDrift),
        schemars::schema_for!(CountedRuns),
    ];
    for schema in schemas {
        assert!(schema.get("properties").is_some(), "{schema:?}");
    }
}

// shows: WR-515
#[tokio::test]
async fn a_retention_that_is_set_meanwhile_changes_no_graph_of_a_run() {
    let machine = Machine::in_memory();
    let (_, first) = dropped(&machine).await;
    let (runtime, at) = (machine.runtime(), address(&first));
    let graphs = async || {
        let tree = runtime.run_tree(&SessionReference(at.run.to_string())).await.unwrap();
        let shape = runtime.run_shape(at, Freshness::Now).await.unwrap();
        let page = runtime.run_page(&RunQuery::default()).await.unwrap();
        [json!(tree), json!(shape), json!(page.runs)]
    };
    let before = graphs().await;
    for days in ["1", "3650"] {
        let set = SetSetting {
            key: SettingKey::RetentionDays,
            value: Some(days.to_owned()),
            is_confirmed: false,
        };
        assert!(runtime.set_setting(&set).unwrap().setting.is_applied);
        runtime.clean(CollectMode::Rehearse).await.unwrap();
        assert_eq!(graphs().await, before, "{days} days");
    }
}
