//! Numbers that JSON readers round or refuse, on their way into a flow.

use serde_json::json;

use crate::rig::Rig;
use crate::text;

/// Numbers that no JSON reader keeps: beyond 64 bits on either side, and beyond every double.
const LOST: [&str; 4] =
    ["123456789012345678901234567890", "18446744073709551616", "-9223372036854775809", "1e400"];

/// An MCP server whose one tool answers with the file that it is started with. The schema of the tool has a number
/// beyond 2^53, which has to stay a number.
const SERVER: &str = r#"
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"ids","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"read","inputSchema":{"type":"object","properties":{"after":{"type":"integer","maximum":9223372036854775807}}}}]}' ;;
    *'"method":"tools/call"'*) result=$(cat "$1") ;;
    *'"method":"notifications/'*) continue ;;
    *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id"; continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// A project with a flow that calls the tool, and the options with which it is run.
fn with_tool(result: &str) -> (Rig, [String; 2]) {
    let rig = Rig::new();
    let path = |name: &str, content: &str| rig.write(name, content).to_str().unwrap().to_owned();
    let result = path("result.json", result);
    let servers = json!({ "mcpServers": { "ids": {
        "command": "sh", "args": ["-c", SERVER, "sh", result] } } });
    let tools = path("tools.json", &servers.to_string());
    let node = json!({ "id": "look", "type": "tool_call",
        "params": { "tool": "ids_read", "output": "found", "onError": "fail" } });
    let flow = path("flow.json", &json!({ "nodes": [node] }).to_string());
    (rig, [flow, tools])
}

// shows in part: BP-001 (numbers in the result of a tool)
#[test]
fn numbers_in_the_result_of_a_tool_keep_all_their_characters() {
    let numbers = [&LOST[..], &["9007199254740993", "7", "0.5"]].concat().join(",");
    let result =
        format!(r#"{{"content":[],"structuredContent":{{"n":[{numbers}],"text":"1e400"}}}}"#);
    let (rig, [flow, tools]) = with_tool(&result);
    let run = rig.run(&["flow", "run", &flow, "--tools", &tools, "--backpack", "ids"]);
    let said = text(&run.stdout) + &text(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{said}");
    assert!(said.contains("warning: look: `ids_read` gave back numbers beyond 2^53"), "{said}");
    assert!(said.contains("5 kept as texts"), "{said}");
    let shown = rig.says(&["backpack", "at", "ids", "--key", "found"]);
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let mut expected: Vec<_> = LOST.iter().map(|number| json!(number)).collect();
    expected.extend([json!("9007199254740993"), json!(7), json!(0.5)]);
    assert_eq!(shown["result"], json!({ "n": expected, "text": "1e400" }), "{shown}");
}

// shows in part: BP-001 (numbers that a person writes)
#[test]
fn a_number_that_reading_would_lose_is_refused_wherever_a_person_writes_json() {
    let (rig, [flow, tools]) = with_tool(r#"{"content":[]}"#);
    let number = |text: &str, number: &str| text.replace('N', number);
    let refused = |arguments: &[&str], number: &str| {
        let output = rig.run(arguments);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_ne!(output.status.code(), Some(0), "{arguments:?}: {said}");
        assert!(said.contains(number) && said.contains("in quotes"), "{arguments:?}: {said}");
    };
    let path = |name: &str, content: &str| rig.write(name, content).to_str().unwrap().to_owned();
    for lost in LOST {
        let run = ["flow", "run", &flow, "--tools", &tools];
        for value in ["N", "[1, N]", r#"{"id": N}"#] {
            let item = format!("id={}", number(value, lost));
            refused(&[&run[..], &["--set", &item]].concat(), lost);
            refused(&[&run[..], &["--pii", &item]].concat(), lost);
            let param = format!("look.{item}");
            refused(&["flow", "replay", "ids", "--from", "look", "--param", &param], lost);
        }
        let lossy = number(
            r#"{"nodes":[{"id":"look","type":"tool_call","params":{"tool":"ids_read","arguments":{"after":N}}}]}"#,
            lost,
        );
        let lossy = path("lossy.json", &lossy);
        refused(&["flow", "check", &lossy, "--tools", &tools], lost);
        refused(&["flow", "run", &lossy, "--tools", &tools], lost);
        let models = number(
            r#"{"rehearsed":[{"when":["hi"],"call":{"name":"read","arguments":{"after":N}}}]}"#,
            lost,
        );
        let models = path("models.json", &models);
        refused(&[&run[..], &["--models", &models]].concat(), lost);
        let when = number(r#"{"var":"n","equals":N}"#, lost);
        let step = format!(r#"{{"id":"a","title":"A","prompt":"Do it.","runCondition":{when}}}"#);
        let workflow = format!(
            r#"{{"id":"project.a","name":"A","description":"a","version":"1.0.0","steps":[{step}]}}"#
        );
        refused(&["workflow", "validate", &path("workflow.json", &workflow)], lost);
        let typed = format!("[{{\"kind\":\"count\",\"n\":{lost}}}]\n.\n");
        let output = rig.type_in(&["workflow", "run", "wr.tour", "--goal", "x"], &typed);
        let said = text(&output.stderr);
        assert!(said.contains(lost) && said.contains("Nothing was submitted."), "{said}");
        let typed = format!("read {{\"path\":\"/a\",\"limit\":{lost}}}\n");
        let output = rig.type_in(&["workspace", "shell", "--workspace", "/a=.:ro"], &typed);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(said.contains(lost) && said.contains("in quotes"), "{said}");
    }
    let servers = path("servers.json", r#"{"mcpServers":{"a":{"command":"a","timeout":1e400}}}"#);
    refused(&["flow", "run", &flow, "--tools", &servers], "1e400");
    // Digits in a text are no number.
    for value in ["call 123456789012345678901234567890", r#""1e400""#, "18446744073709551616 EUR"] {
        let name = format!("text-{}", value.len());
        let item = format!("id={value}");
        rig.says(&["flow", "run", &flow, "--tools", &tools, "--set", &item, "--backpack", &name]);
        let shown = rig.says(&["backpack", "at", &name, "--key", "id"]);
        assert!(shown.contains(value.trim_matches('"')), "{shown}");
    }
}
