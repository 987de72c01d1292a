//! `piton mcp` and `piton up`.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    net::TcpListener,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use crate::rig::{Rig, text};

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
    assert_eq!(server.stop("-TERM"), Some(0));
    insta::assert_snapshot!("up", said);
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
