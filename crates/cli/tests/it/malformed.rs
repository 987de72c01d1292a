//! Calls that are wrong, against the real server: each is answered, and the server stays.

use serde_json::{Value, json};

use crate::{agent::Agent, rig::Rig};

/// The answer to a call that reached its tool, with whether it failed.
fn answer(agent: &mut Agent, tool: &str, arguments: &Value) -> (Value, bool) {
    agent.ask_tool(tool, arguments);
    let reply = agent.reply().expect("the server stays");
    let result = reply.get("result").unwrap_or_else(|| panic!("{tool}: {reply}"));
    assert!(result.to_string().len() < 32 * 1024, "{tool}: a refusal is short");
    (result["structuredContent"].clone(), result["isError"] == true)
}

/// Another token of the same form, one letter from the end changed.
fn forged(token: &str) -> String {
    let place = token.len() - 4;
    let other = if &token[place..=place] == "2" { "3" } else { "2" };
    format!("{}{other}{}", &token[..place], &token[place + 1..])
}

// shows in part: WR-488 (the program itself), WR-494 (the program itself)
#[test]
fn every_call_that_is_wrong_gets_its_envelope() {
    let (rig, elsewhere) = (Rig::new(), Rig::new());
    let start = json!({ "workflowId": "wr.tour" });
    let foreign = Agent::start(&elsewhere).call("start_workflow", &start);
    let mut agent = Agent::start(&rig);
    let here = agent.call("start_workflow", &start);
    let other = agent.call("start_workflow", &start);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (ack, short) = (text(&here["ackToken"]), text(&here["nextCall"]["params"]["ackToken"]));
    let large = "x".repeat(300 * 1024);
    let ack_with = |token: &str| json!({ "ackToken": token });
    let cases = [
        ("start_workflow", json!({ "workflowId": ["wr.tour"] }), "VALIDATION_ERROR"),
        ("start_workflow", json!({ "workflowId": "wr.tour", "context": 5 }), "VALIDATION_ERROR"),
        (
            "start_workflow",
            json!({ "workflowId": "wr.tour", "context": { "a": large } }),
            "VALIDATION_ERROR",
        ),
        (
            "start_workflow",
            json!({ "workflowId": "wr.tour", "context": { "a": { "__proto__": {} } } }),
            "VALIDATION_ERROR",
        ),
        (
            "start_workflow",
            json!({ "workflowId": "wr.tour", "context": { "prototype": 1 } }),
            "VALIDATION_ERROR",
        ),
        ("start_workflow", json!({ "workflowId": large }), "VALIDATION_ERROR"),
        ("inspect_workflow", json!({ "workflowId": large }), "VALIDATION_ERROR"),
        ("list_workflows", json!({ "tags": "review" }), "VALIDATION_ERROR"),
        ("resume_session", json!({ "sessionId": large }), "VALIDATION_ERROR"),
        ("continue_workflow", json!({ "ackToken": ack, "output": large }), "VALIDATION_ERROR"),
        ("continue_workflow", ack_with(&large), "TOKEN_INVALID_FORMAT"),
        ("continue_workflow", ack_with(&forged(&ack)), "TOKEN_BAD_SIGNATURE"),
        ("continue_workflow", ack_with(&forged(&short)), "TOKEN_BAD_SIGNATURE"),
        ("continue_workflow", ack_with(&text(&foreign["ackToken"])), "TOKEN_BAD_SIGNATURE"),
        ("continue_workflow", ack_with(&text(&here["stateToken"])), "TOKEN_SCOPE_MISMATCH"),
        (
            "continue_workflow",
            json!({ "ackToken": ack, "stateToken": other["stateToken"] }),
            "TOKEN_SCOPE_MISMATCH",
        ),
        ("checkpoint_workflow", json!({ "checkpointToken": ack }), "TOKEN_SCOPE_MISMATCH"),
        (
            "continue_workflow",
            json!({ "ackToken": ack, "label": here["run"]["label"], "context": { "constructor": 1 } }),
            "VALIDATION_ERROR",
        ),
    ];
    for (tool, arguments, code) in &cases {
        let (envelope, is_error) = answer(&mut agent, tool, arguments);
        let shown = arguments.to_string().chars().take(80).collect::<String>();
        assert!(is_error, "{tool} {shown}: {envelope}");
        assert_eq!(envelope["code"], *code, "{tool} {shown}: {envelope}");
        for field in ["message", "suggestion"] {
            assert!(!envelope[field].as_str().unwrap().is_empty(), "{tool}: {field}");
        }
    }
    // Nothing of it was recorded: both runs stand where they stood.
    for run in [&here, &other] {
        let now = agent.call("continue_workflow", &json!({ "stateToken": run["stateToken"] }));
        assert_eq!(now["ackToken"], run["ackToken"]);
    }
    agent.leave();
    assert_eq!(rig.tells(&["session", "list"])["runs"].as_array().unwrap().len(), 2);
}

#[test]
fn lines_that_cannot_be_read_are_answered_and_the_server_stays() {
    let rig = Rig::new();
    let mut agent = Agent::start(&rig);
    let long = [vec![b'x'; 50 * 1024 * 1024], b"\n".to_vec()].concat();
    let deep = format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let cases: [(&str, &[u8], i64); 6] = [
        ("no JSON", b"hello\n", -32700),
        ("invalid UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}\n", -32700),
        ("NUL", b"\0\0\0\n", -32700),
        ("too deep", deep.as_bytes(), -32700),
        ("no method", b"{\"jsonrpc\":\"2.0\",\"id\":77}\n", -32600),
        ("50 MB", &long, -32600),
    ];
    for (what, bytes, code) in cases {
        agent.send_bytes(bytes);
        let reply = agent.receive().unwrap_or_else(|| panic!("{what}: the server is gone"));
        assert_eq!(reply["error"]["code"], code, "{what}: {reply}");
    }
    agent.ask("tools/fly", &json!({}));
    assert_eq!(agent.reply().unwrap()["error"]["code"], -32601);
    let listed = agent.call("list_workflows", &json!({}));
    assert!(!listed["workflows"].as_array().unwrap().is_empty());
    agent.leave();
}
