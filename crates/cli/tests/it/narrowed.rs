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

/// The oldest and the newest revision that clients with a `run` of their own speak.
const REVISIONS: [&str; 2] = ["2025-03-26", "2025-11-25"];

/// Tools of each set, and whether the first step leaves a use of them.
const LEFT: [(&str, bool); 10] = [
    ("start_workflow", true),
    ("read", true),
    ("write", false),
    ("pack", false),
    ("unpack", true),
    ("keys", true),
    ("history", true),
    ("get_context", false),
    ("compose_context", false),
    ("put_frame", false),
];

// shows in part: WS-042 (tools of state and context too)
#[test]
fn a_step_narrows_files_state_and_context_and_its_token_is_asked_for() {
    for (place, revision) in REVISIONS.into_iter().enumerate() {
        // The process that goes on with the run speaks the other one.
        narrows(revision, REVISIONS[1 - place]);
    }
}

fn narrows(revision: &str, of_the_other: &str) {
    let rig = rig();
    let mut agent = Agent::start_speaking(&rig, revision);
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
        assert_eq!(found.as_deref(), expected, "{revision}: {tool}");
    }
    assert!(!rig.project().join("src/b.txt").exists());
    let listed = agent.tools();
    let has = |name: &str| listed.iter().any(|one| one == name);
    for (tool, is_left) in LEFT {
        assert_eq!(has(tool), is_left, "{revision}: {tool} in {listed:?}");
    }

    // Another process goes on with the run: the step of this one's token is over.
    let mut other = Agent::start_speaking(&rig, of_the_other);
    let output = json!({ "notesMarkdown": "Looked." });
    let call = json!({ "ackToken": look, "output": output });
    let mend = token(&other.call("continue_workflow", &call));
    other.leave();
    let passed = code(&mut agent, "read", read(), Some(&look));
    assert_eq!(passed.as_deref(), Some("TOKEN_STEP_PASSED"));
    let listed = agent.tools();
    assert!(LEFT.iter().all(|(tool, _)| listed.iter().any(|one| one == tool)), "{listed:?}");
    for (tool, arguments) in [("write", write()), ("pack", pack())] {
        assert_eq!(code(&mut agent, tool, arguments, Some(&mend)), None, "{revision}: {tool}");
    }
    agent.leave();
    let blame = rig.tells(&["blame", "file", "/p/b.txt"]);
    assert_eq!(blame["records"][0]["step"], "mend", "{blame}");
    let backpack = rig.tells(&["backpack", "list"])["backpacks"][0]["id"].clone();
    let state = rig.tells(&["blame", "state", backpack.as_str().unwrap(), "plan"]);
    assert_eq!(state["chain"]["nodeId"], blame["chain"]["nodeId"], "{revision}: {state}");
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
    assert!(told.contains("`context.agent` is ghost, which is no agent;"), "{told}");
}
