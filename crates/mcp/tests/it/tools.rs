//! Every tool, as a scripted agent uses it.

use piton_core::SessionId;
use piton_mcp::catalogue::WorkflowTool;
use piton_store::StreamId;
use serde_json::{Value, json};

use crate::rig::{Answer, Machine, Pipe, Web};

/// What a scripted agent submits for the steps of the tour, by step.
fn tour(step: &str, turn: u64) -> Value {
    let notes = |text: &str| json!({ "notesMarkdown": text });
    match step {
        "notes" => notes("Project: a sample\nSeen: 3 files"),
        "refusal" => notes("Refused: two lines\nFixed: wrote them"),
        "guess" => notes("Guess: a.txt, a text\nFound: a text"),
        "going_back" => {
            notes("Checkpoint: before a rewrite\nGoing back: they stay\nNext: wr.research")
        }
        _ => json!({
            "artifacts": [{
                "kind": "wr.loop_control",
                "loopId": "rounds",
                "decision": if turn < 2 { "continue" } else { "stop" },
            }],
        }),
    }
}

// shows: WR-262, WR-263, WR-266, WR-498
#[tokio::test]
async fn a_scripted_agent_takes_the_tour_to_its_end() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let mut answer = pipe.start("wr.tour").await;
    let mut was_blocked = false;
    let mut seen = Vec::new();
    while answer.structured["isComplete"] == false {
        assert!(seen.len() < 20, "{seen:?}");
        for part in ["/run/label", "/nextIntent", "/stateToken", "/ackToken", "/checkpointToken"] {
            assert!(!answer.at(part).is_empty());
        }
        for part in ["/pending/stepId", "/pending/title", "/pending/prompt"] {
            assert!(!answer.at(part).is_empty());
        }
        assert!(answer.structured["preferences"].is_object());
        let step = answer.at("/pending/stepId");
        let token = answer.at("/nextCall/params/ackToken");
        assert!(token.len() <= 40 && answer.text.contains(&token), "{}", answer.text);
        let bookmark = answer.at("/checkpointCall/params/checkpointToken");
        let is_offered = answer.structured["kind"] != "blocked";
        assert!(bookmark.len() <= 40);
        assert_eq!(
            answer.text.contains(&format!(
                "checkpoint_workflow {{ \"checkpointToken\": \"{bookmark}\", \"label\": \"{}\" }}",
                answer.at("/run/label")
            )),
            is_offered
        );
        for long in ["/ackToken", "/checkpointToken"] {
            assert!(!answer.text.contains(&answer.at(long)), "{long}: {}", answer.text);
        }
        assert!(
            !answer.text.contains(&answer.at("/stateToken")),
            "long tokens are not for reading"
        );
        let output = if step == "refusal" && !was_blocked {
            json!({ "notesMarkdown": "All done." })
        } else {
            tour(&step, answer.structured["run"]["turn"].as_u64().unwrap_or_default())
        };
        let next =
            pipe.call("continue_workflow", json!({ "ackToken": token, "output": output })).await;
        if next.structured["kind"] == "blocked" {
            assert_eq!(step, "refusal", "{}", next.text);
            assert!(next.text.contains("Next: continue_workflow"), "{}", next.text);
            was_blocked = true;
        } else {
            seen.push(step);
        }
        assert_ne!(next.structured["ackToken"], answer.structured["ackToken"]);
        answer = next;
    }
    assert!(was_blocked && seen.len() > 4, "{seen:?}");
    assert_eq!(answer.at("/nextIntent"), "complete");
    pipe.close().await.unwrap();
}

// shows: WR-262, WR-263
#[tokio::test]
async fn every_tool_answers_over_http_as_over_a_pipe() {
    let machine = Machine::new();
    let project = machine.project().display().to_string();
    let mut web = Web::of_revision(machine.runtime(), "2025-11-25").await;
    let listed = web.call("list_workflows", json!({ "projectDir": project })).await;
    assert!(listed.text.contains("project.plain"), "{}", listed.text);
    let arguments = json!({ "workflowId": "project.plain", "projectDir": project });
    let inspected = web.call("inspect_workflow", arguments.clone()).await;
    assert_eq!(inspected.structured["stepTitles"], json!(["Title of first", "Title of second"]));
    let first = web.call("start_workflow", arguments).await;
    let checkpoint = json!({ "checkpointToken": first.at("/checkpointToken") });
    let bookmark = web.call("checkpoint_workflow", checkpoint).await;
    assert!(bookmark.text.contains("bookmark made"), "{}", bookmark.text);
    let submit =
        |token: String| json!({ "ackToken": token, "output": { "notesMarkdown": "Done." } });
    let second = web.call("continue_workflow", submit(first.at("/ackToken"))).await;
    assert_eq!(second.at("/pending/prompt"), "Do second.");
    let found = web.call("resume_session", json!({ "query": "project.plain" })).await;
    let token = found.at("/candidates/0/nextCall/params/stateToken");
    let again = web.call("continue_workflow", json!({ "stateToken": token })).await;
    assert_eq!(again.at("/pending/stepId"), "second");
    let last = web.call("continue_workflow", submit(again.at("/ackToken"))).await;
    assert_eq!(last.structured["isComplete"], true);
    web.stop().await;
}

// shows: WR-245
#[tokio::test]
async fn of_all_tools_only_an_ack_token_adds_to_the_step_that_it_is_for() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let first = pipe.start("project.plain").await;
    let artifact = json!({ "kind": "report", "found": 3 });
    let output = json!({ "notesMarkdown": "One.", "artifacts": [artifact] });
    let submit = |answer: &Answer| json!({ "ackToken": answer.at("/ackToken"), "label": answer.at("/run/label"), "output": output });
    let second = pipe.call("continue_workflow", submit(&first)).await;
    let stream = StreamId::from(second.at("/run/sessionId").parse::<SessionId>().unwrap());
    let load = || async {
        let events = machine.ports.journal.load(&stream).await.unwrap().events;
        events.iter().map(|event| serde_json::to_value(event).unwrap()).collect::<Vec<_>>()
    };
    let node = |event: &Value| event["scope"]["nodeId"].clone();
    let before = load().await;
    let created = before.iter().rev().find(|event| event["kind"] == "node_created");
    let target = node(created.unwrap());
    let artifact = before.iter().find_map(|event| event.pointer("/data/payload/sha256")).unwrap();
    let (state, bookmark) = (second.at("/stateToken"), second.at("/checkpointToken"));
    let calls = [
        (WorkflowTool::ListWorkflows, json!({})),
        (WorkflowTool::InspectWorkflow, json!({ "workflowId": "project.plain" })),
        (WorkflowTool::StartWorkflow, json!({ "workflowId": "project.plain" })),
        (WorkflowTool::ContinueWorkflow, json!({ "stateToken": state })),
        (
            WorkflowTool::CheckpointWorkflow,
            json!({ "checkpointToken": bookmark, "label": second.at("/run/label"), "output": output }),
        ),
        (WorkflowTool::GetArtifact, json!({ "digest": artifact })),
        (WorkflowTool::ResumeSession, json!({ "query": "project.plain" })),
    ];
    assert_eq!(calls.each_ref().map(|(tool, _)| *tool), *WorkflowTool::ALL);
    for (tool, arguments) in calls {
        let answer = pipe.call(tool.as_str(), arguments).await;
        assert!(!answer.is_error, "{tool}: {}", answer.text);
    }
    let after = load().await;
    for event in &after[before.len()..] {
        assert!(node(event) != target && event["kind"] != "advance_recorded", "{event}");
    }
    assert!(after.len() > before.len(), "a bookmark was made");
    pipe.call("continue_workflow", submit(&second)).await;
    let whole = load().await;
    let added = whole[after.len()..].iter().filter(|event| node(event) == target);
    let kinds: Vec<_> = added.map(|event| event["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"advance_recorded"), "{kinds:?}");
    assert!(kinds.contains(&"node_output_appended"), "{kinds:?}");
}

// shows: WR-264
#[tokio::test]
async fn two_processes_agree_on_the_compiled_workflow_and_its_hash() {
    let machine = Machine::new();
    let arguments = json!({ "workflowId": "wr.tour", "mode": "full" });
    let one = Pipe::at(&machine).await.call("inspect_workflow", arguments.clone()).await;
    let other = Pipe::at(&Machine::new()).await.call("inspect_workflow", arguments).await;
    assert!(one.at("/entry/workflowHash").starts_with("sha256:"));
    assert!(one.structured["compiled"]["steps"].as_array().is_some_and(|steps| steps.len() > 2));
    assert_eq!(one.structured, other.structured);
}

#[tokio::test]
async fn a_repeated_call_repeats_the_body_byte_for_byte() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let first = pipe.start("project.plain").await;
    let once = pipe.submit(&first, "One.").await;
    let again = pipe.submit(&first, "One.").await;
    assert_eq!(once.structured.to_string(), again.structured.to_string());
    assert_eq!(once.text, again.text);
    let other = pipe.submit(&first, "Something else.").await;
    assert_eq!(once.text, other.text);
    assert!(other.beside.unwrap().contains("OUTPUT_NOT_RECORDED"));
}

// shows: WR-265
#[tokio::test]
async fn what_a_run_knows_is_never_sent_back() {
    const MARK: &str = "mark-7f3a";
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let context = json!({ "secret": MARK, "deep": { "list": [MARK] } });
    let start = json!({ "workflowId": "project.plain", "context": context });
    let first = pipe.try_call("start_workflow", start).await;
    let token = |reply: &Value| reply["result"]["structuredContent"]["ackToken"].clone();
    let blocked = json!({ "ackToken": token(&first), "context": context });
    let blocked = pipe.try_call("continue_workflow", blocked).await;
    let output = json!({ "notesMarkdown": "One." });
    let on = json!({ "ackToken": token(&blocked), "context": { "more": MARK }, "output": output });
    let second = pipe.try_call("continue_workflow", on).await;
    let state = second["result"]["structuredContent"]["stateToken"].clone();
    let replies = [
        pipe.try_call("continue_workflow", json!({ "stateToken": state })).await,
        pipe.try_call("continue_workflow", json!({ "stateToken": state, "context": context }))
            .await,
        pipe.try_call("continue_workflow", json!({ "ackToken": token(&second), "context": MARK }))
            .await,
        pipe.try_call(
            "start_workflow",
            json!({ "workflowId": "project.plain", "context": [MARK] }),
        )
        .await,
        pipe.try_call("resume_session", json!({})).await,
        pipe.try_call("list_workflows", json!({})).await,
    ];
    for reply in [&first, &blocked, &second].into_iter().chain(&replies) {
        assert!(reply.get("result").is_some(), "{reply}");
        assert!(!reply.to_string().contains(MARK), "{reply}");
    }
}

#[tokio::test]
async fn a_refusal_of_arguments_quotes_no_value() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    for (tool, arguments) in [
        ("resume_session", json!({ "sessionId": "MARKER-4711" })),
        ("resume_session", json!({ "runId": "MARKER-4711" })),
        ("get_artifact", json!({ "digest": "MARKER-4711", "offset": -4711 })),
        ("inspect_workflow", json!({ "workflowId": "wr.tour", "mode": "MARKER-4711" })),
        ("continue_workflow", json!({ "ackToken": 4711, "output": "MARKER-4711" })),
    ] {
        let refused = pipe.call(tool, arguments).await;
        assert!(refused.is_error, "{tool}");
        assert!(!refused.text.contains("4711"), "{tool}: {}", refused.text);
    }
}
