//! What a step leaves of what the configuration grants, over a real pipe.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::rig::Rig;

const CONFIGURATION: &str = r#"
[[workspaces]]
prefix = "/p"
scope = "read-write"
directory = "src"

[state]
backpack = "b"
agent = "scout"

[context]
agent = "writer"

[[context.agents]]
name = "writer"
role = "writer"
"#;

fn rig() -> Rig {
    let rig = Rig::new();
    let access = json!({
        "workspaces": [{ "prefix": "/p", "scope": "read-only" }],
        "state": { "read": ["plan"], "write": [] },
        "context": "none",
    });
    let workflow = json!({
        "id": "project.n",
        "steps": [
            { "id": "look", "title": "Look", "prompt": "Look.", "access": access },
            { "id": "mend", "title": "Mend", "prompt": "Mend." },
        ],
    });
    rig.write("src/a.txt", "one\n");
    rig.write("piton.toml", CONFIGURATION);
    rig.write(".piton/workflows/n.json", &workflow.to_string());
    rig
}

/// The code of a refusal; nothing if the call was made.
fn code(agent: &mut Agent, tool: &str, mut arguments: Value, run: Option<&str>) -> Option<String> {
    if let Some(run) = run {
        arguments["run"] = json!(run);
    }
    agent.ask_tool(tool, &arguments);
    let reply = agent.reply().unwrap();
    let text = reply["result"]["content"][0]["text"].as_str().unwrap();
    let is_error = reply["result"]["isError"] == true;
    is_error.then(|| text.split(':').next().unwrap().to_owned())
}

fn token(reply: &Value) -> String {
    reply["nextCall"]["params"]["ackToken"].as_str().unwrap().to_owned()
}

#[test]
fn a_step_narrows_files_state_and_context_and_its_token_is_asked_for() {
    let rig = rig();
    let mut agent = Agent::start(&rig);
    let start = json!({ "workflowId": "project.n", "goal": "see" });
    let look = token(&agent.call("start_workflow", &start));
    let read = || json!({ "path": "/p/a.txt" });
    let write = || json!({ "path": "/p/b.txt", "content": "x" });
    let pack = || json!({ "key": "plan", "value": 1 });
    let cases = [
        ("read", read(), None, Some("TOKEN_RUN_REQUIRED")),
        ("read", read(), Some("ak-x"), Some("TOKEN_INVALID_FORMAT")),
        ("read", read(), Some(look.as_str()), None),
        ("write", write(), Some(look.as_str()), Some("WORKSPACE_BAD_ARGUMENT")),
        ("pack", pack(), Some(look.as_str()), Some("BACKPACK_ACCESS_DENIED")),
        ("unpack", json!({ "key": "plan" }), Some(look.as_str()), None),
        ("get_context", json!({ "node": "." }), Some(look.as_str()), Some("CONTEXT_FORBIDDEN")),
    ];
    for (tool, arguments, run, expected) in cases {
        let found = code(&mut agent, tool, arguments, run);
        assert_eq!(found.as_deref(), expected, "{tool}");
    }
    assert!(!rig.project().join("src/b.txt").exists());

    // Another process goes on with the run: the step of this one's token is over.
    let mut other = Agent::start(&rig);
    let output = json!({ "notesMarkdown": "Looked." });
    let call = json!({ "ackToken": look, "output": output });
    let mend = token(&other.call("continue_workflow", &call));
    other.leave();
    let passed = code(&mut agent, "read", read(), Some(&look));
    assert_eq!(passed.as_deref(), Some("TOKEN_STEP_PASSED"));
    for (tool, arguments) in [("write", write()), ("pack", pack())] {
        assert_eq!(code(&mut agent, tool, arguments, Some(&mend)), None, "{tool}");
    }
    agent.leave();
    let blame = rig.tells(&["blame", "file", "/p/b.txt"]);
    assert_eq!(blame["records"][0]["step"], "mend", "{blame}");
    let chain = blame["chain"]["chain"].as_array().unwrap();
    assert_eq!(chain.len(), 2, "{blame}");
}

#[test]
fn an_agent_of_context_that_is_not_configured_is_told_when_the_server_starts() {
    let rig = Rig::new();
    rig.write("piton.toml", "[context]\nagent = \"ghost\"\n");
    let output = rig.type_in(&["mcp"], "");
    let told = crate::rig::text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("`context.agent` is ghost, which is no agent."), "{told}");
}
