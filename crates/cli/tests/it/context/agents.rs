//! The set `context` over MCP, by the role of the agent.

use std::sync::Arc;

use piton_context::{
    Context, ContextPorts, ProjectLocation,
    agent::{AgentContext, Agents, ModelAnswer, Role},
    frame::{AppendOutcome, Appended, Basis, Metadata, PutFrame},
    history::NodeRef,
    read::View,
    synthesis::{Inputs, Missing, PolicySpec, SynthesizeRequest},
    word::FrameType,
};
use piton_core::port::NoTrace;
use piton_models::{WireFormat, testing::ModelServer};
use piton_store::local::{DataDir, LocalBlobs, LocalLeases, LocalTable, SystemClock};
use serde_json::{Value, json};

use super::{
    configure,
    generating::{KEY, answers, executor, models},
    project,
};
use crate::{agent::Agent, rig::Rig};

/// The names of the tools that a server offers.
fn tools(agent: &mut Agent) -> Vec<String> {
    agent.ask("tools/list", &json!({}));
    let reply = agent.reply().unwrap();
    let tools = reply["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn serving(rig: &Rig, name: &str) -> Agent {
    Agent::start_as(rig, &["--context", name])
}

// shows: CT-031, CT-095
#[test]
fn an_agent_gets_the_tools_of_its_role_and_no_others() {
    let rig = project();
    let mut nobody = Agent::start(&rig);
    assert_eq!(tools(&mut nobody).len(), 7, "nothing is configured, nothing is offered");
    nobody.leave();
    configure(&rig, "[context]\nagent = \"scout\"");
    let reading = ["get_context", "compose_context"];
    let expected = [
        (None, &reading[..]),
        (Some("scout"), &reading),
        (Some("scribe"), &["get_context", "compose_context", "put_frame"]),
        (
            Some("librarian"),
            &["get_context", "compose_context", "put_frame", "synthesize", "regenerate"],
        ),
    ];
    for (name, expected) in expected {
        let mut agent = name.map_or_else(|| Agent::start(&rig), |name| serving(&rig, name));
        assert_eq!(tools(&mut agent)[7..], *expected, "{name:?}");
        agent.leave();
    }
    for unknown in ["nobody", "person"] {
        let refused = rig.run(&["mcp", "--context", unknown]);
        assert_eq!(refused.status.code(), Some(1), "{unknown}");
    }
}

#[test]
fn an_empty_text_is_refused_at_every_door_and_takes_the_place_of_nothing() {
    let rig = project();
    configure(&rig, "");
    let put = ["context", "put-frame", "src/lib.rs", "--type", "summary", "--text"];
    rig.says(&[&put[..], &["It answers."]].concat());
    let is_refused = |error: &Value| {
        assert_eq!(error["code"], "VALIDATION_ERROR", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("empty") && message.contains("say what holds"), "{error}");
    };
    let mut scribe = serving(&rig, "scribe");
    for empty in ["", " \n\t"] {
        is_refused(&rig.fails(&[&put[..], &[empty]].concat()).1);
        let frame = json!({ "node": "src/lib.rs", "frameType": "summary", "content": empty });
        is_refused(&scribe.call("put_frame", &frame));
        let mut line = frame.clone();
        line["op"] = json!("put");
        let file = rig.home().join("ops.jsonl");
        std::fs::write(&file, line.to_string()).unwrap();
        let output = rig.run(&["context", "batch", file.to_str().unwrap(), "--json"]);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{told}");
        is_refused(&told["lines"][0]["error"]);
    }
    scribe.leave();
    let shown = rig.tells(&["context", "get-node", "src/lib.rs"]);
    assert_eq!(shown["frames"][0]["content"], "It answers.");
    assert_eq!(shown["frameCount"], 1);
}

#[test]
fn an_agent_that_needs_a_command_is_told_to_ask_the_person() {
    let rig = Rig::new();
    rig.write("piton.toml", super::AGENTS);
    rig.write("src/main.rs", "fn main() {}\n");
    let mut agent = serving(&rig, "scout");
    let asked = "No tool here does that: ask the person to do it.";
    let unscanned = json!({ "path": "src" });
    let (text, failed) = agent.call_text("get_context", &unscanned);
    assert!(failed && text.starts_with("CONTEXT_NOT_SCANNED"), "{text}");
    assert!(text.contains("`piton context scan`") && text.contains(asked), "{text}");
    let refused = agent.call("get_context", &unscanned);
    assert!(refused["suggestion"].as_str().unwrap().contains(asked), "{refused}");
    // What the agent can do itself is left to it.
    let (text, failed) = agent.call_text("get_artifact", &json!({ "digest": "nonsense" }));
    assert!(failed && !text.contains(asked), "{text}");
    agent.leave();
}

// shows in part: CT-035, CT-036, CT-040 (over MCP)
#[test]
fn what_an_agent_writes_is_its_own_and_has_the_ids_of_the_command_line() {
    let rig = project();
    configure(&rig, "");
    let mut scribe = serving(&rig, "scribe");
    let frame = json!({ "node": "src/lib.rs", "frameType": "summary", "content": "It answers." });
    let put = scribe.call("put_frame", &frame);
    assert_eq!(put["outcome"], "added", "{put}");
    let command = ["context", "--agent", "scribe", "put-frame", "src/lib.rs", "--type", "summary"];
    let again = rig.tells(&[&command[..], &["--text", "It answers."]].concat());
    assert_eq!((&again["frame"], &again["outcome"]), (&put["frame"], &json!("unchanged")));
    for field in ["agent", "agentId", "metadata"] {
        let mut forged = frame.clone();
        forged[field] = json!("librarian");
        assert_eq!(scribe.call("put_frame", &forged)["code"], "VALIDATION_ERROR", "{field}");
    }
    let shown = scribe.call("get_context", &json!({ "node": "src/lib.rs" }));
    assert_eq!(shown["frames"][0]["agent"], "scribe");
    assert_eq!(shown["frames"][0]["content"], "It answers.");
    for other in ["path", "file_path"] {
        assert_eq!(scribe.call("get_context", &json!({ (other): "src/lib.rs" })), shown, "{other}");
    }
    let missing = scribe.call("get_context", &json!({ "node": "src/lob.rs" }));
    assert_eq!(missing["code"], "CONTEXT_NODE_NOT_FOUND");
    assert!(missing["message"].as_str().unwrap().contains("src/lib.rs"), "{missing}");
    scribe.leave();
    let mut librarian = serving(&rig, "librarian");
    let wanted = json!({ "node": ".", "frameType": "summary", "recursive": true });
    let made = librarian.call("synthesize", &wanted);
    assert_eq!(made["frames"].as_array().unwrap().len(), 2, "{made}");
    let command = ["context", "--agent", "librarian", "synthesize", ".", "--type", "summary"];
    let again = rig.tells(&[&command[..], &["--recursive"]].concat());
    for (one, other) in
        made["frames"].as_array().unwrap().iter().zip(again["frames"].as_array().unwrap())
    {
        assert_eq!((&one["path"], &one["frame"]), (&other["path"], &other["frame"]));
        assert_eq!(other["outcome"], "unchanged", "{again}");
    }
    let composed = librarian.call("compose_context", &json!({ "node": "src/main.rs" }));
    assert!(composed["text"].as_str().unwrap().contains("It answers."), "{composed}");
    assert_eq!(librarian.call("regenerate", &json!({}))["made"], json!([]));
    librarian.leave();
}

#[test]
fn a_frame_is_about_the_file_as_it_is_when_it_is_put() {
    let rig = project();
    configure(&rig, "");
    let mut scribe = serving(&rig, "scribe");
    rig.write("src/lib.rs", "pub fn edited() {}\n");
    scribe.call("put_frame", &json!({ "node": "src/lib.rs", "frameType": "s", "content": "new" }));
    rig.says(&["context", "scan"]);
    let shown = scribe.call("get_context", &json!({ "node": "src/lib.rs" }));
    assert_eq!(shown["frames"][0]["isFresh"], true, "{shown}");
    scribe.leave();
}

// shows in part: CT-096 (the part that a frame has the session, run and step that it was written in)
#[test]
fn a_frame_that_is_written_at_a_step_says_which() {
    let rig = project();
    configure(&rig, "");
    let mut scribe = serving(&rig, "scribe");
    let started =
        scribe.call("start_workflow", &json!({ "workflowId": "wr.tour", "goal": "look" }));
    let token = &started["nextCall"]["params"]["ackToken"];
    let mut frame = json!({ "node": "README.md", "frameType": "s", "content": "x", "run": token });
    scribe.call("put_frame", &frame);
    let shown = scribe.call("get_context", &json!({ "node": "README.md" }));
    let metadata = &shown["frames"][0]["metadata"];
    assert_eq!(metadata["session"], started["run"]["sessionId"], "{shown}");
    assert_eq!(metadata["run"], started["run"]["runId"]);
    assert_eq!(metadata["step"], started["pending"]["stepId"]);
    frame["run"] = json!("ack_nonsense");
    frame["content"] = json!("y");
    let refused: Value = scribe.call("put_frame", &frame);
    assert!(refused["code"].as_str().unwrap().starts_with("TOKEN"), "{refused}");
    let shown = scribe.call("get_context", &json!({ "node": "README.md" }));
    assert_eq!(shown["frameCount"], 1, "nothing was written");
    scribe.leave();
}

// shows: CT-036 (with each_role_may_do_what_it_is_for, what_an_agent_writes_is_its_own_and_has_the_ids_of_the_command_line)
#[test]
fn the_adapter_of_the_library_gives_the_ids_of_the_command_line() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    configure(&rig, "");
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    answers(&server, 1);
    let by = ["context", "--agent", "librarian"];
    let put = ["put-frame", "src/lib.rs", "--type", "summary", "--text", "It answers."];
    let put = rig.tells(&[&by[..], &put].concat());
    let made = rig.tells(&[&by[..], &["synthesize", "src", "--type", "summary"]].concat());
    let generate = ["generate", "README.md", "--type", "told", "--prompt", "Why?", "--yes"];
    let generate = [&by[..], &generate, &["--models", &models, "--json"]].concat();
    let output = rig.command(&generate).env("MODEL_KEY", KEY).output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let told = &told["generated"]["nodes"][0]["frame"];

    let runtime = executor.handle();
    let dir = DataDir::open(&rig.data()).unwrap();
    let clock = Arc::new(SystemClock);
    let ports = ContextPorts {
        table: Arc::new(LocalTable::open(&dir, &"context".parse().unwrap()).unwrap()),
        blobs: Arc::new(LocalBlobs::new(dir.clone())),
        leases: Arc::new(LocalLeases::new(dir, clock.clone(), Arc::new(NoTrace))),
        clock,
        stamps: None,
    };
    let project = rig.project().canonicalize().unwrap();
    let context = Context::new(ports, ProjectLocation::new(project));
    let librarian = piton_context::agent::ContextAgent {
        id: "librarian".parse().unwrap(),
        role: Role::Synthesis,
    };
    let agents = Agents::new([librarian.clone()]);
    let adapter = AgentContext::new(context.clone(), &agents, &librarian.id).unwrap();
    let check = |appended: Appended, frame: &Value| {
        assert_eq!(json!(appended.frame.to_string()), *frame);
        assert_eq!(appended.outcome, AppendOutcome::Unchanged, "{frame}");
    };
    let summary: FrameType = "summary".parse().unwrap();
    let node = |text: &str| text.parse::<NodeRef>().unwrap();
    let frame = PutFrame::new("src/lib.rs", summary.clone(), "It answers.");
    let written = runtime.block_on(adapter.put_frame(&frame));
    check(written.unwrap(), &put["frame"]);
    let request = SynthesizeRequest {
        frame_type: summary.clone(),
        inputs: Inputs::Type(summary),
        policy: PolicySpec::default(),
        recursive: false,
        missing: Missing::Refuse,
    };
    let synthesized = runtime.block_on(adapter.synthesize_with(&node("src"), &request)).unwrap();
    check(synthesized.frames[0].appended, &made["frames"][0]["frame"]);
    let view = View::default();
    let readme = node("README.md");
    let seen = runtime.block_on(adapter.read_context(&readme, &view)).unwrap();
    let Basis::Generated { prompt, given, attempt } = seen.frames[0].basis.clone() else {
        panic!("a model wrote it: {told}")
    };
    let answer = ModelAnswer {
        prompt,
        given,
        attempt,
        content: b"another answer".to_vec(),
        metadata: Metadata::default(),
    };
    let kind = "told".parse().unwrap();
    let answered = runtime.block_on(adapter.generate_frame(&readme, &kind, answer));
    check(answered.unwrap(), told);
    for at in ["src/lib.rs", "src", "README.md"] {
        let shown = rig.tells(&["context", "get-node", at]);
        let read = runtime.block_on(adapter.read_context(&node(at), &view)).unwrap();
        let ids: Vec<Value> = read.frames.iter().map(|frame| json!(frame.id.to_string())).collect();
        let listed = shown["frames"].as_array().unwrap().iter();
        assert_eq!(listed.map(|frame| frame["id"].clone()).collect::<Vec<_>>(), ids, "{at}");
    }
}

// shows in part: CT-035 (the part that reads are checked too)
#[test]
fn a_step_narrows_what_the_role_allows() {
    let rig = project();
    let step = |id: &str, left: Option<&str>| {
        let mut step = json!({ "id": id, "title": id, "prompt": "Do it." });
        if let Some(left) = left {
            step["access"] = json!({ "context": left });
        }
        step
    };
    let workflow = json!({ "id": "project.narrow", "name": "A sample", "description": "For tests.",
        "steps": [step("look", Some("reader")), step("rest", Some("none")), step("write", None)] });
    rig.write(".piton/workflows/narrow.json", &workflow.to_string());
    configure(&rig, "");
    let mut librarian = serving(&rig, "librarian");
    let mut answer =
        librarian.call("start_workflow", &json!({ "workflowId": "project.narrow", "goal": "see" }));
    let calls = [
        ("get_context", json!({ "node": "README.md" })),
        ("put_frame", json!({ "node": "README.md", "frameType": "s", "content": "x" })),
        ("regenerate", json!({})),
    ];
    for allowed in [[true, false, false], [false; 3], [true; 3]] {
        let token = answer["nextCall"]["params"]["ackToken"].clone();
        for ((tool, arguments), allowed) in calls.iter().zip(allowed) {
            let mut arguments = arguments.clone();
            let without = librarian.call(tool, &arguments);
            assert_eq!(without["code"], "TOKEN_RUN_REQUIRED", "{tool}");
            arguments["run"] = token.clone();
            let told = librarian.call(tool, &arguments);
            let code = if allowed { Value::Null } else { json!("CONTEXT_FORBIDDEN") };
            assert_eq!(told["code"], code, "{tool} {told}");
        }
        let output = json!({ "notesMarkdown": "Done." });
        answer =
            librarian.call("continue_workflow", &json!({ "ackToken": token, "output": output }));
    }
    librarian.leave();
}
