//! The tools of a backpack over MCP, with the program itself.

use std::process::Child;

use piton_models::WireFormat;
use piton_models::testing::{ModelServer, ScriptedReply, ServerFault};
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::rig::Rig;

fn tools(agent: &mut Agent) -> Vec<String> {
    agent.ask("tools/list", &json!({}));
    let reply = agent.reply().unwrap();
    let tools = reply["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

const STATE: [&str; 4] = ["pack", "unpack", "keys", "history"];

// shows: BP-095
#[test]
fn agents_share_a_backpack_within_what_each_is_granted() {
    let rig = Rig::new();
    let mut bare = Agent::start(&rig);
    assert!(!tools(&mut bare).iter().any(|tool| STATE.contains(&tool.as_str())));
    bare.leave();

    let mut one = Agent::start_as(&rig, &["--backpack", "shared"]);
    assert!(tools(&mut one).ends_with(&STATE.map(str::to_owned)));
    let packed = one.call("pack", &json!({ "key": "plan", "value": { "steps": 3 } }));
    assert_eq!((&packed["backpack"], &packed["commit"]), (&json!("shared"), &json!("c0")));
    let secret = json!({ "key": "phone", "value": "555-canary", "tags": ["pii"] });
    one.call("pack", &secret);

    // Another agent, in a process of its own, whose grants the user's file says.
    rig.write(
        "../.config/piton/config.toml",
        "[state]\nbackpack = \"shared\"\nagent = \"scout\"\nread = [\"plan\", \"notes\"]\nwrite = [\"notes\"]\n",
    );
    let mut scout = Agent::start(&rig);
    assert_eq!(scout.call("keys", &json!({}))["keys"], json!(["plan"]));
    let read = scout.call("unpack", &json!({ "key": "plan" }));
    assert_eq!((&read["value"]["steps"], &read["about"]["by"]), (&json!(3), &json!("test")));
    for key in ["phone", "nothing-there"] {
        let refused = scout.call("unpack", &json!({ "key": key }));
        assert_eq!(refused["code"], "BACKPACK_ACCESS_DENIED", "{refused}");
        assert!(!refused.to_string().contains("canary"), "{refused}");
    }
    let refused = scout.call("pack", &json!({ "key": "plan", "value": 1 }));
    assert_eq!(refused["code"], "BACKPACK_ACCESS_DENIED", "{refused}");
    scout.call("pack", &json!({ "key": "notes", "value": "seen" }));

    // The first one sees it, and who did it; refusals are in the history that people read.
    let seen = one.call("unpack", &json!({ "key": "notes" }));
    assert_eq!((&seen["value"], &seen["about"]["by"]), (&json!("seen"), &json!("scout")));
    let history = scout.call("history", &json!({}));
    assert!(!history.to_string().contains("canary"), "{history}");
    let missing = one.call("unpack", &json!({ "key": "never" }));
    assert_eq!(missing["found"], false);
    one.leave();
    scout.leave();
    let log = rig.says(&["backpack", "log", "shared", "--node", "scout"]);
    assert!(log.contains("deny read") && log.contains("deny write"), "{log}");
    assert!(!rig.says(&["backpack", "log", "shared"]).contains("canary"));
}

// shows in part: BP-095 (the part about a step of a workflow)
#[test]
fn what_is_packed_for_a_step_says_for_which_one() {
    let rig = Rig::new();
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    let started = agent.call("start_workflow", &json!({ "workflowId": "wr.tour", "goal": "look" }));
    let token = started["ackToken"].as_str().unwrap_or_else(|| panic!("{started}"));
    agent.call("pack", &json!({ "key": "free", "value": 1 }));
    agent.call("pack", &json!({ "key": "bound", "value": 2, "run": token }));
    let refused = agent.call("pack", &json!({ "key": "bound", "value": 3, "run": "ak-nonsense" }));
    assert!(refused["code"].as_str().is_some_and(|code| code.starts_with("TOKEN")), "{refused}");
    let history = agent.call("history", &json!({ "key": "bound" }));
    let commits = history["commits"].as_array().unwrap();
    assert_eq!(commits.len(), 1, "what was refused did not happen: {history}");
    let provenance = &commits[0]["provenance"];
    assert_eq!(provenance["run"], started["run"]["runId"], "{history}");
    assert!(provenance["step"].is_string() && provenance["session"].is_string(), "{history}");
    agent.leave();
    let blame = rig.tells(&["backpack", "blame", "shared"]);
    let line = |key: &str| {
        let lines = blame["lines"].as_array().unwrap().iter();
        lines.clone().find(|line| line["key"] == key).unwrap().clone()
    };
    assert_eq!(line("bound")["provenance"], *provenance);
    assert_eq!(line("free")["provenance"], Value::Null);
    let short = line("bound")["commit"].as_str().unwrap().to_owned();
    let shown = rig.says(&["backpack", "show", "shared", &short]);
    assert!(shown.contains("  for      step"), "{shown}");
}

#[test]
fn a_long_value_comes_in_parts_and_a_project_has_a_backpack_of_its_own() {
    let rig = Rig::new();
    rig.write("piton.toml", "[state]\nbackpack = \"notes\"\n");
    let mut agent = Agent::start(&rig);
    let long = "ä".repeat(100_000);
    let packed = agent.call("pack", &json!({ "key": "long", "value": long }));
    let name = packed["backpack"].as_str().unwrap().to_owned();
    assert!(name.starts_with("notes-"), "{name}");
    let (mut whole, mut offset) = (String::new(), None);
    loop {
        let part = agent.call("unpack", &json!({ "key": "long", "offset": offset }));
        whole.push_str(part["part"].as_str().unwrap());
        offset = part["nextOffset"].as_u64();
        if offset.is_none() {
            break;
        }
    }
    assert_eq!(serde_json::from_str::<String>(&whole).unwrap(), long);
    agent.leave();
    assert_eq!(rig.tells(&["backpack", "list"])["backpacks"][0]["id"], name);
    rig.write("piton.toml", "[state]\nbackpak = \"notes\"\n");
    let refused = rig.run(&["mcp"]);
    assert!(!refused.status.success());
}

#[test]
fn calls_of_several_agents_at_once_all_happen() {
    const AGENTS: usize = 4;
    const CALLS: usize = 5;
    let rig = Rig::new();
    let start = |_| Agent::start_as(&rig, &["--backpack", "shared"]);
    let mut agents: Vec<Agent> = (0..AGENTS).map(start).collect();
    for (place, agent) in agents.iter_mut().enumerate() {
        for count in 0..CALLS {
            let key = format!("{place}-{count}");
            agent.ask_tool("pack", &json!({ "key": key, "value": count }));
        }
    }
    for agent in &mut agents {
        for _ in 0..CALLS {
            let reply = agent.receive().unwrap();
            assert_ne!(reply["result"]["isError"], true, "{reply}");
        }
    }
    agents.into_iter().for_each(Agent::leave);
    let list = rig.tells(&["backpack", "list"]);
    assert_eq!(list["backpacks"][0]["keys"], AGENTS * CALLS);
}

#[test]
fn a_step_leaves_less_than_what_is_granted_and_never_more() {
    let rig = Rig::new();
    let access = json!({ "state": { "read": ["plan", "phone"], "write": [] } });
    let workflow = json!({
        "id": "mine.narrow", "name": "Narrow", "description": "Looks only.",
        "steps": [
            { "id": "look", "title": "Look", "prompt": "Look.", "access": access },
            { "id": "act", "title": "Act", "prompt": "Act." },
        ],
    });
    rig.write(".piton/workflows/narrow.json", &workflow.to_string());
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    agent.call("pack", &json!({ "key": "plan", "value": 1 }));
    agent.call("pack", &json!({ "key": "other", "value": 2 }));
    agent.call("pack", &json!({ "key": "phone", "value": "canary", "tags": ["pii"] }));
    let started = agent.call("start_workflow", &json!({ "workflowId": "mine.narrow" }));
    let token = started["ackToken"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned();
    let bare = agent.call("unpack", &json!({ "key": "plan" }));
    assert_eq!(bare["code"], "TOKEN_RUN_REQUIRED", "{bare}");
    let mut within = |tool: &str, mut arguments: Value| {
        arguments["run"] = json!(token);
        agent.call(tool, &arguments)
    };
    assert_eq!(within("unpack", json!({ "key": "plan" }))["value"], 1);
    let cases = [
        ("unpack", json!({ "key": "other" })),
        // The step names it, and nobody granted what is about a person.
        ("unpack", json!({ "key": "phone" })),
        ("pack", json!({ "key": "plan", "value": 3 })),
    ];
    for (tool, arguments) in cases {
        let refused = within(tool, arguments.clone());
        assert_eq!(refused["code"], "BACKPACK_ACCESS_DENIED", "{tool} {arguments}: {refused}");
    }
    assert_eq!(within("keys", json!({}))["keys"], json!(["plan"]));
    let history = within("history", json!({}));
    let keys: Vec<&str> = history["commits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|commit| commit["key"].as_str().unwrap())
        .collect();
    assert!(keys.contains(&"plan") && !keys.contains(&"other"), "{history}");
    assert!(!history.to_string().contains("canary"), "{history}");
    agent.leave();
}

/// Every value of JSON is one that can be stored; `null` is told apart from a key that is not there.
// shows in part: BP-029 (the part about what agents store)
#[test]
fn an_agent_stores_what_is_falsy_and_gets_it_back() {
    let rig = Rig::new();
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    for value in [json!(null), json!(false), json!(0), json!(""), json!([]), json!({})] {
        let packed = agent.call("pack", &json!({ "key": "x", "value": value }));
        assert_eq!(packed["size"], value.to_string().len(), "{packed}");
        let read = agent.call("unpack", &json!({ "key": "x" }));
        assert_eq!((&read["found"], &read["value"]), (&json!(true), &value), "{read}");
        assert!(read.as_object().unwrap().contains_key("value"), "{read}");
    }
    let refused = agent.call("pack", &json!({ "key": "x" }));
    assert!(refused.to_string().contains("`value` is missing"), "{refused}");
    let refused = agent.call("pack", &json!({ "key": null, "value": 1 }));
    assert!(refused.to_string().contains("`key` is missing"), "{refused}");
    agent.leave();
}

/// What was opened by the same agent before is not recorded again, and looking records nothing.
#[test]
fn the_calls_of_one_agent_leave_one_event_each_and_one_that_it_came() {
    let rig = Rig::new();
    let events = |rig: &Rig| {
        let stream = rig.data().join("backpacks/shared");
        let files = std::fs::read_dir(stream).unwrap().map(|file| file.unwrap().path());
        let text: String = files.filter_map(|file| std::fs::read_to_string(file).ok()).collect();
        let count = |kind: &str| text.matches(&format!("\"kind\":\"{kind}\"")).count();
        (count("opened"), count("committed"))
    };
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    for count in 0..5 {
        agent.call("pack", &json!({ "key": "x", "value": count }));
        assert_eq!(agent.call("unpack", &json!({ "key": "x" }))["value"], count);
        assert_eq!(agent.call("keys", &json!({}))["keys"], json!(["x"]));
        agent.call("history", &json!({}));
    }
    assert_eq!(events(&rig), (1, 10));
    // Another agent is one to be named while it writes; then the first one is again.
    rig.write(
        "../.config/piton/config.toml",
        "[state]\nbackpack = \"shared\"\nagent = \"other\"\n",
    );
    let mut other = Agent::start(&rig);
    assert_eq!(other.call("unpack", &json!({ "key": "x" }))["value"], 4);
    other.call("pack", &json!({ "key": "y", "value": 1 }));
    assert_eq!(agent.call("keys", &json!({}))["keys"], json!(["x", "y"]));
    assert_eq!(agent.call("unpack", &json!({ "key": "y" }))["value"], 1);
    assert_eq!(events(&rig), (3, 13));
    other.leave();
    agent.leave();
}

/// Starts a flow that asks a model which does not answer.
fn hanging_flow(rig: &Rig, server: &ModelServer) -> Child {
    let provider = json!({ "name": "local", "wire": "openai", "model": "small",
        "baseUrl": server.base_url(WireFormat::OpenAi) });
    let models = json!({ "default": "local", "providers": [provider] });
    rig.write("models.json", &models.to_string());
    let node =
        json!({ "id": "ask", "type": "chat", "params": { "prompt": "Hm?", "output": "said" } });
    rig.write("flow.json", &json!({ "version": "2.0.0", "nodes": [node] }).to_string());
    server.push_reply(ScriptedReply::Fault(ServerFault::Hang));
    let run = ["flow", "run", "flow.json", "--models", "models.json", "--backpack", "shared"];
    let quiet = || std::process::Stdio::null();
    let child = rig.command(&run).stdout(quiet()).stderr(quiet()).spawn().unwrap();
    while server.seen().is_empty() {
        std::thread::yield_now();
    }
    child
}

// shows in part: BP-103 (the part about an agent and a flow)
#[test]
fn while_a_flow_holds_the_backpack_an_agent_looks_and_is_told_who_holds_it() {
    let executor =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = executor.block_on(ModelServer::start());
    let rig = Rig::new();
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    agent.call("pack", &json!({ "key": "before", "value": 1 }));
    let mut flow = hanging_flow(&rig, &server);
    for (tool, arguments) in
        [("pack", json!({ "key": "x", "value": 2 })), ("unpack", json!({ "key": "before" }))]
    {
        let refused = agent.call(tool, &arguments);
        assert_eq!(refused["code"], "BACKPACK_LOCKED", "{tool}: {refused}");
        assert!(refused.to_string().contains("a flow"), "{tool}: {refused}");
    }
    let keys = agent.call("keys", &json!({}));
    assert!(keys["keys"].as_array().unwrap().contains(&json!("before")), "{keys}");
    let history = agent.call("history", &json!({ "key": "before" }));
    assert_eq!(history["commits"].as_array().unwrap().len(), 1, "{history}");
    flow.kill().unwrap();
    flow.wait().unwrap();
    agent.call("pack", &json!({ "key": "x", "value": 3 }));
    assert_eq!(agent.call("unpack", &json!({ "key": "x" }))["value"], 3);
    agent.leave();
}
