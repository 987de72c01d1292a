//! Calls that are wrong, each with the reply that an agent reads.

use serde_json::{Value, json};

use crate::rig::{Machine, Pipe, STATELESS, hello, request};

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

// shows: WR-423
#[tokio::test]
async fn a_call_with_wrong_arguments_is_an_envelope_that_says_where() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let large = "x".repeat(300 * 1024);
    for (tool, arguments, part) in [
        ("start_workflow", json!({}), "`workflowId` is missing"),
        ("start_workflow", json!({ "workflowId": 5 }), "`workflowId` must be text, not a number"),
        (
            "start_workflow",
            json!({ "workflow_id": "wr.tour" }),
            "`workflow_id` is not a field: there is",
        ),
        (
            "start_workflow",
            json!({ "workflowId": "wr.tour", "context": "{}", "goal": [] }),
            "`context` must be a JSON object, not text; `goal` must be text, not a JSON array",
        ),
        (
            "inspect_workflow",
            json!({ "workflowId": "wr.tour", "mode": "all" }),
            "`mode` must be one of metadata, preview, full",
        ),
        ("continue_workflow", json!({}), "ackToken"),
        (
            "continue_workflow",
            json!({ "ackToken": "x", "output": { "notes": "x" } }),
            "`output.notes` is not a field",
        ),
        (
            "continue_workflow",
            json!({ "ackToken": "x", "output": { "artifacts": {} } }),
            "`output.artifacts` must be a JSON array",
        ),
        ("resume_session", json!({ "sessionId": "sess_UPPER" }), "resume_session"),
        ("list_workflows", json!({ "projectDir": "../x" }), "is not an absolute path"),
        (
            "start_workflow",
            json!({ "workflowId": "wr.tour", "context": { "a": large } }),
            "too large",
        ),
        (
            "start_workflow",
            json!({ "workflowId": "wr.tour", "context": { "a": { "__proto__": 1 } } }),
            "__proto__",
        ),
        (
            "start_workflow",
            json!({ "workflowId": "wr.tour", "context": { "constructor": 1 } }),
            "constructor",
        ),
        ("start_workflow", json!({ "workflowId": large }), "There is no workflow"),
    ] {
        let refused = pipe.call(tool, arguments).await;
        assert_eq!(refused.code(), "VALIDATION_ERROR", "{tool}: {}", refused.text);
        assert!(refused.text.contains(part), "{tool} lacks {part}: {}", refused.text);
        assert!(refused.text.len() < 8 * 1024, "{tool}: a refusal is short");
    }
    pipe.start("project.plain").await;
}

#[tokio::test]
async fn a_field_that_is_null_counts_as_left_out() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let arguments = json!({ "workflowId": "wr.tour", "mode": null, "projectDir": null });
    let inspected = pipe.call("inspect_workflow", arguments).await;
    assert!(!inspected.is_error, "{}", inspected.text);
}

// shows: WR-494
#[tokio::test]
async fn a_token_that_does_not_hold_is_told_apart_from_one_that_is_nonsense() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let here = pipe.start("project.plain").await;
    let elsewhere = Pipe::at(&Machine::new()).await.start("project.plain").await;
    let forged = |token: String| {
        let last = if token.ends_with('A') { 'B' } else { 'A' };
        let place = token.len() - 4;
        format!("{}{last}{}", &token[..place], &token[place + 1..])
    };
    let ack = here.at("/ackToken");
    for (field, token, code) in [
        ("ackToken", "nonsense".to_owned(), "TOKEN_INVALID_FORMAT"),
        ("ackToken", String::new(), "TOKEN_INVALID_FORMAT"),
        ("ackToken", "x".repeat(1 << 20), "TOKEN_INVALID_FORMAT"),
        ("ackToken", forged(ack.clone()), "TOKEN_BAD_SIGNATURE"),
        ("ackToken", elsewhere.at("/ackToken"), "TOKEN_BAD_SIGNATURE"),
        ("ackToken", elsewhere.at("/nextCall/params/ackToken"), "TOKEN_UNKNOWN_NODE"),
        ("ackToken", here.at("/stateToken"), "TOKEN_SCOPE_MISMATCH"),
        ("stateToken", ack.clone(), "TOKEN_SCOPE_MISMATCH"),
        ("ackToken", here.at("/checkpointToken"), "TOKEN_SCOPE_MISMATCH"),
    ] {
        let refused = pipe.call("continue_workflow", json!({ field: token })).await;
        assert_eq!(refused.code(), code, "{field}: {}", refused.text);
    }
    let second = pipe.submit(&here, "One.").await;
    assert_eq!(second.at("/pending/stepId"), "second");
    let stale = pipe.submit(&here, "One.").await;
    assert_eq!(stale.structured, second.structured, "a stale token repeats its answer");
}

#[tokio::test]
async fn a_call_that_reaches_no_tool_is_an_error_of_the_protocol() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    for (method, params, code, part) in [
        (
            "tools/call",
            json!({ "name": "start" }),
            -32602,
            "There is no tool `start`. There is list_workflows,",
        ),
        ("tools/call", json!({ "name": "x".repeat(100_000) }), -32602, "There is no tool"),
        ("tools/call", json!({ "name": 5 }), -32602, "`params` of tools/call"),
        ("tools/call", json!({ "arguments": {} }), -32602, "`params` of tools/call"),
        (
            "tools/call",
            json!({ "name": "list_workflows", "arguments": "{}" }),
            -32602,
            "`arguments`, a JSON object",
        ),
        (
            "tools/call",
            json!({ "name": "list_workflows", "arguments": [] }),
            -32602,
            "`arguments`, a JSON object",
        ),
        ("tools/fly", json!({}), -32601, "There is no method `tools/fly` here"),
        ("prompts/get", json!({ "name": "no.such" }), -32602, "There is no prompt `no.such`"),
        ("resources/read", json!({ "uri": "file:///etc/passwd" }), -32002, "There is no resource"),
        (
            "resources/read",
            json!({ "uri": "piton://run/no-one/recap" }),
            -32002,
            "There is no run `no-one`",
        ),
        (
            "resources/read",
            json!({ "uri": "piton://artifact/sha256:ab" }),
            -32002,
            "`sha256:ab` is no digest",
        ),
    ] {
        let reply = pipe.request(method, params).await;
        assert_eq!(reply["error"]["code"], code, "{reply}");
        let words = reply["error"]["message"].as_str().unwrap();
        assert!(words.contains(part) && words.len() < 500, "{words}");
    }
    pipe.start("project.plain").await;
}

// shows in part: BP-001 (a whole number that not every reader keeps is an error)
#[tokio::test]
async fn a_number_that_would_be_rounded_is_refused_with_what_to_send() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let message = |number: &str| {
        let arguments = format!(r#"{{"workflowId":"wr.tour","context":{{"big":{number}}}}}"#);
        format!(
            r#"{{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{{"name":"start_workflow","arguments":{arguments}}}}}"#
        ) + "\n"
    };
    for number in ["123456789012345678901234567890", "-9223372036854775809", "1e400"] {
        pipe.send_bytes(message(number).as_bytes()).await;
        let reply = pipe.receive().await;
        assert_eq!(
            (&reply["id"], &reply["error"]["code"]),
            (&json!(71), &json!(-32602)),
            "{reply}"
        );
        let words = reply["error"]["message"].as_str().unwrap();
        assert!(words.contains(number) && words.contains("as a text"), "{words}");
    }
    // A float of that size is one, and a text is whatever it says.
    for number in ["1e22", "\"123456789012345678901234567890\""] {
        pipe.send_bytes(message(number).as_bytes()).await;
        let reply = pipe.receive().await;
        assert_eq!(reply["error"], Value::Null, "{reply}");
    }
}

#[tokio::test]
async fn a_line_that_cannot_be_read_is_answered_and_the_next_one_counts() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let long = [vec![b'x'; 50 * 1024 * 1024], b"\n".to_vec()].concat();
    let deep = format!("{}\n", nested(100_000));
    let cases: [(&str, &[u8], i64); 7] = [
        ("no JSON", b"hello\n", -32700),
        ("cut off", b"{\"jsonrpc\": \"2.0\", \"id\"\n", -32700),
        ("invalid UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}\n", -32700),
        ("too deep", deep.as_bytes(), -32700),
        ("a number", b"5\n", -32600),
        ("no method", b"{\"jsonrpc\":\"2.0\",\"id\":77}\n", -32600),
        ("50 MB", &long, -32600),
    ];
    for (what, bytes, code) in cases {
        pipe.send_bytes(bytes).await;
        let reply = pipe.receive().await;
        assert_eq!(reply["error"]["code"], code, "{what}: {reply}");
        if what == "no method" {
            assert_eq!(reply["id"], 77, "whoever waits for a reply gets it");
        }
    }
    // A call that is too long is answered as that call, wherever clients put its id; a notification never is.
    let content = "x".repeat(5 * 1024 * 1024);
    let params = json!({ "name": "write", "arguments": { "path": "/id", "content": content } });
    for (id, message) in [
        (91, format!(r#"{{"jsonrpc":"2.0","id":91,"method":"tools/call","params":{params}}}"#)),
        (92, format!(r#"{{"method":"tools/call","params":{params},"jsonrpc":"2.0","id":92}}"#)),
    ] {
        let told = format!(r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{params}}}"#);
        pipe.send_bytes(format!("{told}\n{message}\n").as_bytes()).await;
        let reply = pipe.receive().await;
        assert_eq!(
            (&reply["id"], &reply["error"]["code"]),
            (&json!(id), &json!(-32600)),
            "{reply}"
        );
        assert!(reply["error"]["message"].as_str().unwrap().contains("in parts"), "{reply}");
    }
    for ignored in [&b"\n"[..], b"\r\n", b"{\"jsonrpc\":\"2.0\",\"method\":5}\n"] {
        pipe.send_bytes(ignored).await;
    }
    let listed: Value = pipe.request("tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 7);
    assert!(pipe.notified.is_empty(), "nothing else was answered: {:?}", pipe.notified);
    pipe.close().await.unwrap();
}

#[tokio::test]
async fn what_is_no_request_is_passed_over_until_the_client_has_begun() {
    let machine = Machine::new();
    for revision in ["2025-11-25", STATELESS] {
        let mut pipe = Pipe::silent(machine.runtime(), machine.whereabouts());
        let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } });
        let answer = json!({ "jsonrpc": "2.0", "id": 9, "result": {} });
        pipe.send(&cancelled).await;
        pipe.send(&request(STATELESS, 1, "server/discover", json!({}))).await;
        assert!(pipe.reply_to(1).await["result"]["supportedVersions"].is_array());
        pipe.send(&cancelled).await;
        pipe.send(&answer).await;
        // It lacks who asks, so it begins nothing.
        pipe.send(&request("2025-11-25", 2, "tools/list", json!({}))).await;
        assert!(pipe.reply_to(2).await["error"].is_object());
        pipe.send(&cancelled).await;
        if revision != STATELESS {
            pipe.send(&request(revision, 3, "initialize", hello(revision))).await;
            assert_eq!(pipe.reply_to(3).await["result"]["protocolVersion"], revision);
            pipe.notify("notifications/initialized").await;
        }
        pipe.send(&request(revision, 4, "tools/list", json!({}))).await;
        assert_eq!(pipe.reply_to(4).await["result"]["tools"].as_array().unwrap().len(), 7);
        pipe.close().await.unwrap();
    }
}
