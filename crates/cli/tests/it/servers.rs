//! `piton mcp` and `piton up`.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    net::TcpListener,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    agent::Agent,
    rig::{Rig, text},
};

/// A server that was started, with where it listens.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    said: String,
}

impl Server {
    pub(crate) fn start(rig: &Rig, variables: &[(&str, &str)]) -> Self {
        let mut command = rig.command(&["up"]);
        command.envs(variables.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = String::new();
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap());
        while !said.contains("Ctrl-C stops.") {
            if lines.read_line(&mut said).unwrap() == 0 {
                let mut trouble = String::new();
                child.stderr.take().unwrap().read_to_string(&mut trouble).unwrap();
                panic!("{said}{trouble}");
            }
        }
        let url = said.lines().find_map(|line| line.trim().strip_prefix("MCP")).unwrap();
        let url = url.trim().to_owned();
        Self { child, url, said }
    }

    /// Ends the server by a signal, and returns its exit code.
    pub(crate) fn stop(mut self, signal: &str) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }

    /// What the server says about its console.
    pub(crate) fn console(&self) -> String {
        let line = self.said.lines().find_map(|line| line.trim().strip_prefix("Console")).unwrap();
        let line = line.trim();
        line.split_once(" (").map_or(line, |(address, _)| address).to_owned()
    }

    fn port(&self) -> u16 {
        let address = self.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
        address.rsplit(':').next().unwrap().parse().unwrap()
    }
}

impl Drop for Server {
    /// A test that stops at a surprise leaves no server behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_second_server_says_where_the_first_listens() {
    let rig = Rig::new();
    let notice = rig.data().join("run/up.json");
    for signal in ["-TERM", "-INT"] {
        let server = Server::start(&rig, &[("PITON_HTTP_PORT", "0")]);
        let second = rig.tells(&["up"]);
        assert_eq!(second["url"], server.url.as_str());
        assert_eq!(
            (&second["pid"], &second["wasRunning"]),
            (&server.child.id().into(), &true.into())
        );
        assert!(notice.exists());
        assert_eq!(server.stop(signal), Some(0));
        assert!(!notice.exists());
    }
}

#[test]
fn a_port_that_is_taken_is_passed_over_unless_a_person_chose_it() {
    // Whoever has the usual port, this process or another, has it while the server starts.
    let usual: u16 = {
        let shown = Rig::new().tells(&["config", "show"]);
        let settings = shown["settings"].as_array().unwrap().clone();
        let port = settings.iter().find(|setting| setting["key"] == "http.port").unwrap();
        port["value"].as_u64().unwrap().try_into().unwrap()
    };
    let taken = TcpListener::bind(("127.0.0.1", usual));
    let rig = Rig::new();
    let server = Server::start(&rig, &[]);
    assert!(server.port() > usual && server.port() <= usual + 20, "{}", server.url);
    assert_eq!(server.stop("-TERM"), Some(0));

    let port = usual.to_string();
    let output = rig.command(&["up", "--json"]).env("PITON_HTTP_PORT", port).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    drop(taken);
}

#[test]
fn the_start_says_how_to_connect() {
    let rig = Rig::new();
    let server = Server::start(&rig, &[("PITON_HTTP_PORT", "0")]);
    let said = server.said.replace(&server.url, "http://127.0.0.1:7477/mcp");
    let said = said.replace(&server.console(), "http://127.0.0.1:7470");
    assert_eq!(server.stop("-TERM"), Some(0));
    insta::assert_snapshot!("up", said);
}

#[test]
fn a_new_data_directory_is_called_new_with_workspaces_too() {
    let rig = Rig::new();
    rig.write("docs/a.md", "# Guide\n");
    let docs = "[[workspaces]]\nprefix = \"/docs\"\nscope = \"read-only\"\ndirectory = \"docs\"\n";
    rig.write("piton.toml", docs);
    for is_new in [true, false] {
        let server = Server::start(&rig, &[("PITON_HTTP_PORT", "0")]);
        assert_eq!(server.said.contains("(new)"), is_new, "{}", server.said);
        assert_eq!(server.stop("-TERM"), Some(0));
    }
}

#[test]
fn the_start_names_the_file_with_the_token_and_keeps_what_it_holds() {
    let rig = Rig::new();
    let token = "a-token-of-more-than-24-letters";
    let file = rig.write("token", token);
    let variables = [("PITON_HTTP_PORT", "0"), ("PITON_HTTP_TOKEN_FILE", file.to_str().unwrap())];
    let server = Server::start(&rig, &variables);
    let said = server.said.clone();
    assert_eq!(server.stop("-TERM"), Some(0));
    assert!(said.contains("/token, as `Authorization: Bearer …`"), "{said}");
    assert!(!said.contains(token), "{said}");
}

#[test]
fn beyond_this_machine_nobody_is_served_without_a_token() {
    let rig = Rig::new();
    let output = rig.command(&["up"]).env("PITON_HTTP_BIND", "0.0.0.0").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(told.contains("http.token_file"), "{told}");
}

#[test]
fn an_agent_is_served_over_standard_input_and_output() {
    let rig = Rig::new();
    let version = "2025-06-18";
    let client = json!({"name": "test", "version": "1"});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": client}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "start_workflow", "arguments": {"workflowId": "wr.tour", "goal": "see it"}}}),
    ];
    let mut child =
        rig.command(&["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answers = Vec::new();
    for message in messages {
        use std::io::Write as _;
        writeln!(input, "{message}").unwrap();
        if message.get("id").is_some() {
            // Everything on standard output is the protocol's.
            let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
            answers.push(answer);
        }
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(answers[0]["result"]["protocolVersion"], version);
    let label = answers[1]["result"]["structuredContent"]["run"]["label"].clone();
    assert_eq!(label, rig.newest().label.as_str(), "{}", answers[1]);
}

#[test]
fn each_call_of_an_agent_is_a_line_in_the_log_without_what_it_said() {
    let rig = Rig::new();
    let mut agent = Agent::start(&rig);
    let start =
        json!({ "workflowId": "wr.tour", "goal": "a secret goal", "context": { "k": "a secret" } });
    let first = agent.call("start_workflow", &start);
    let token = first["ackToken"].as_str().unwrap();
    let output = json!({ "notesMarkdown": "a secret note" });
    agent.call("continue_workflow", &json!({ "ackToken": token, "output": output }));
    agent.call("continue_workflow", &json!({ "ackToken": "a secret token" }));
    agent.leave();

    let label = rig.newest().label;
    let told = rig.tells(&["logs", "--run", &label]);
    let calls: Vec<(&Value, &Value, &Value)> = told["records"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|record| record.get("tool").is_some())
        .map(|record| (&record["tool"], &record["event"], &record["run"]))
        .collect();
    let label = json!(label);
    assert_eq!(
        calls,
        [
            (&json!("start_workflow"), &json!("done"), &label),
            (&json!("continue_workflow"), &json!("blocked"), &label),
        ]
    );
    let said = rig.says(&["logs"]);
    assert!(said.contains("mcp: continue_workflow failed (TOKEN_INVALID_FORMAT), "), "{said}");
    assert!(said.contains(" ms  "), "{said}");
    let file = std::fs::read_to_string(rig.data().join("logs/piton.jsonl")).unwrap();
    for part in ["secret", token, first["nextCall"]["params"]["ackToken"].as_str().unwrap()] {
        assert!(!file.contains(part), "{part}: {file}");
    }
}

#[test]
fn what_the_environment_says_reaches_the_server() {
    let rig = Rig::new();
    let file = |id: &str| {
        let steps = json!([{ "id": "one", "title": "One", "prompt": "Do it." }]);
        json!({ "id": id, "name": "N", "description": "D", "steps": steps }).to_string()
    };
    rig.write("one/a.json", &file("team.a"));
    rig.write("two/b.json", &file("team.b"));
    rig.write("elsewhere/piton.toml", "");
    let at = |name: &str| rig.project().join(name).display().to_string();
    let (dirs, data) = (format!("{}:{}", at("one"), at("two")), at("data"));
    let variables = [
        ("PITON_WORKFLOW_DIRS", dirs.as_str()),
        ("PITON_DATA_DIR", data.as_str()),
        ("PITON_PROJECT_DIR", &at("elsewhere")),
        ("PITON_AUTONOMY", "full_auto_never_stop"),
        ("PITON_LOG", "error"),
    ];
    let mut agent = Agent::start_with(&rig, &variables, &json!({}));
    let listed = agent.call("list_workflows", &json!({ "query": "team" }));
    let ids: Vec<&Value> =
        listed["workflows"].as_array().unwrap().iter().map(|one| &one["workflowId"]).collect();
    assert_eq!(ids, ["team.a", "team.b"]);
    assert_eq!(listed["projectDir"], at("elsewhere"));
    let started = agent.call("start_workflow", &json!({ "workflowId": "team.a" }));
    assert_eq!(started["preferences"]["autonomy"], "full_auto_never_stop");
    agent.leave();
    assert!(rig.project().join("data/sessions").exists() && !rig.data().exists());
    assert!(!rig.project().join("data/logs").exists(), "nothing failed");
}

#[test]
fn a_server_whose_environment_is_wrong_says_so_and_does_not_start() {
    let rig = Rig::new();
    for (variable, value, part) in [
        ("PITON_AUTONOMY", "wild", "PITON_AUTONOMY"),
        ("PITON_LOG", "loud", "PITON_LOG"),
        ("PITON_HTTP_PORT", "70000", "PITON_HTTP_PORT"),
        ("PITON_DATADIR", "/x", "PITON_DATADIR"),
    ] {
        let output = rig.command(&["mcp"]).env(variable, value).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{variable}");
        assert!(output.stdout.is_empty(), "standard output belongs to the protocol");
        assert!(text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
}
