//! Calls over HTTP when connections break and servers stop, with the program itself and raw sockets.

use std::{
    fmt::Write as _,
    fs::File,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use crate::{agent::Agent, rig::Rig};

const REVISION: &str = "2025-11-25";

/// A server that was started, with what it says.
pub(crate) struct Server {
    child: Child,
    said: BufReader<ChildStdout>,
    address: String,
}

/// A client with a session.
pub(crate) struct Client {
    address: String,
    session: String,
}

/// A call whose reply is being read.
struct Call {
    reply: BufReader<TcpStream>,
}

/// An event of a stream.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    id: String,
    message: Option<Value>,
}

/// The lock of a backpack's stream, which keeps calls that write to it under way.
struct Held(File);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.unlock().unwrap();
    }
}

impl Server {
    /// Starts a server whose clients are attached to a backpack.
    pub(crate) fn start(rig: &Rig) -> Self {
        rig.write("../.config/piton/config.toml", "[state]\nbackpack = \"shared\"\n");
        let mut command = rig.command(&["up"]);
        command.env("PITON_HTTP_PORT", "0").stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut told = String::new();
        while !told.contains("Ctrl-C stops.") {
            assert_ne!(said.read_line(&mut told).unwrap(), 0, "{told}");
        }
        let url = told.lines().find_map(|line| line.trim().strip_prefix("MCP")).unwrap();
        let address = url.trim().strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
        Self { child, said, address: address.to_owned() }
    }

    pub(crate) fn client(&self) -> Client {
        let mut client = Client { address: self.address.clone(), session: String::new() };
        let hello = json!({ "protocolVersion": REVISION, "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" } });
        let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello });
        let mut call = client.send("POST", &[], &hello.to_string());
        let head = call.head();
        let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        session.unwrap().clone_into(&mut client.session);
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert!(client.send("POST", &[], &ready.to_string()).head().contains(" 202 "));
        client
    }

    /// What it says next.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        line
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    fn stop(mut self) {
        self.signal("-TERM");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Server {
    /// A test that stops at a surprise leaves no server behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Call {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut head = format!(
            "{method} /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n",
            body.len()
        );
        if !self.session.is_empty() {
            let session = &self.session;
            write!(head, "Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: {REVISION}\r\n")
                .unwrap();
        }
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        Call { reply: BufReader::new(stream) }
    }

    fn call(&self, id: u64, tool: &str, arguments: &Value) -> Call {
        let params = json!({ "name": tool, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        self.send("POST", &[], &call.to_string())
    }

    /// What came after an event.
    fn after(&self, event: &str) -> Vec<Event> {
        let mut call = self.send("GET", &[("Last-Event-ID", event)], "");
        assert!(call.head().starts_with("HTTP/1.1 200 "));
        call.events()
    }
}

impl Call {
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.reply.read_line(&mut line).unwrap_or(0);
        (read > 0).then(|| line.trim_end().to_owned())
    }

    fn head(&mut self) -> String {
        let mut head = String::new();
        while let Some(line) = self.line().filter(|line| !line.is_empty()) {
            head += &line;
            head.push('\n');
        }
        head
    }

    /// The next event, whatever else the stream has.
    fn event(&mut self) -> Option<Event> {
        let (mut id, mut data) = (String::new(), None);
        loop {
            let line = self.line()?;
            if let Some(found) = line.strip_prefix("id:") {
                found.trim().clone_into(&mut id);
            } else if let Some(found) = line.strip_prefix("data:") {
                data = Some(serde_json::from_str(found.trim()).ok());
            } else if line.is_empty()
                && let Some(message) = data.take()
            {
                return Some(Event { id, message });
            }
        }
    }

    fn events(mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.event()).collect()
    }

    /// Reads until the server is known to work on the call.
    fn begun(&mut self) -> Event {
        assert!(self.head().starts_with("HTTP/1.1 200 "));
        let first = self.event().unwrap();
        assert_eq!(first.message, None, "the reply is not there yet");
        first
    }

    fn reply(self) -> Value {
        let reply = self.events().pop().expect("a reply").message.expect("a message");
        assert_eq!(reply["result"]["isError"], false, "{reply}");
        reply
    }
}

/// Keeps whoever writes to the backpack waiting.
fn hold(rig: &Rig) -> Held {
    let file =
        File::open(rig.data().join("backpacks/shared/.lock")).expect("somebody wrote before");
    file.lock().unwrap();
    Held(file)
}

fn value(number: u64) -> Value {
    json!({ "key": format!("k{number}"), "value": number })
}

#[test]
fn calls_under_way_end_when_the_server_is_told_to_stop_and_new_ones_are_refused() {
    let rig = Rig::new();
    let mut server = Server::start(&rig);
    let client = server.client();
    client.call(1, "pack", &value(1)).reply();
    let idle = TcpStream::connect(&server.address).unwrap();
    let held = hold(&rig);
    let mut calls: Vec<Call> = (2..6).map(|id| client.call(id, "pack", &value(id))).collect();
    for call in &mut calls {
        call.begun();
    }
    server.signal("-TERM");
    let told = server.line();
    assert_eq!(told, "Stopping. Calls in progress have 5 s to end; new ones are refused.\n");
    // Clients that are already connected are told; nobody else gets that far.
    let mut late = Call { reply: BufReader::new(idle) };
    let ping = json!({ "jsonrpc": "2.0", "id": 9, "method": "ping" }).to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{ping}",
        ping.len()
    );
    late.reply.get_mut().write_all(request.as_bytes()).unwrap();
    assert!(late.head().starts_with("HTTP/1.1 503 "));
    assert!(late.line().unwrap().contains("Nothing was done"));
    drop(held);
    for call in calls {
        call.reply();
    }
    assert_eq!(server.line(), "Stopped. Nothing is lost; `piton up` continues.\n");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    assert!(TcpStream::connect(&client.address).is_err());
}

#[test]
fn a_call_that_does_not_end_in_time_is_cut_and_counted() {
    let rig = Rig::new();
    let mut server = Server::start(&rig);
    let client = server.client();
    client.call(1, "pack", &value(1)).reply();
    let _held = hold(&rig);
    let mut call = client.call(2, "pack", &value(2));
    call.begun();
    server.signal("-TERM");
    let mut said = String::new();
    server.said.read_to_string(&mut said).unwrap();
    assert!(said.contains("1 call did not end in time."), "{said}");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    assert_eq!(call.events(), []);
}

#[test]
fn an_agent_over_a_pipe_gets_what_was_under_way_when_the_server_is_told_to_stop() {
    let rig = Rig::new();
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    agent.call("pack", &value(1));
    let held = hold(&rig);
    agent.ask_tool("pack", &value(2));
    // Messages are read in their order: with the reply to this one, the other is under way.
    agent.ask("ping", &json!({}));
    assert!(agent.reply().is_some());
    let pid = agent.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    drop(held);
    let reply = agent.receive().expect("what was under way is answered");
    assert_eq!(reply["result"]["isError"], false, "{reply}");
    assert_eq!(agent.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_reply_can_be_had_again_also_from_the_next_server() {
    let rig = Rig::new();
    let server = Server::start(&rig);
    let mut client = server.client();
    let start = json!({ "workflowId": "wr.tour", "goal": "see it" });
    let mut call = client.call(7, "start_workflow", &start);
    call.head();
    let first = call.event().unwrap();
    let reply = call.event().unwrap();
    assert_eq!(reply.message.as_ref().unwrap()["id"], 7);
    drop(call);
    assert_eq!(client.after(&first.id), std::slice::from_ref(&reply));
    assert_eq!(
        client.after(&first.id),
        std::slice::from_ref(&reply),
        "as often as it is asked for"
    );
    assert_eq!(client.after(&reply.id), [], "nothing comes after the reply");
    let stranger = server.client();
    assert_eq!(stranger.after(&first.id), [], "only its client gets it");

    server.stop();
    let server = Server::start(&rig);
    server.address.clone_into(&mut client.address);
    assert_eq!(client.after(&first.id), [reply]);
    // The session goes on as well.
    client.call(8, "list_workflows", &json!({})).reply();
}

#[test]
fn a_client_that_comes_back_while_its_call_is_under_way_gets_the_reply() {
    let rig = Rig::new();
    let server = Server::start(&rig);
    let client = server.client();
    client.call(1, "pack", &value(1)).reply();
    let held = hold(&rig);
    let mut call = client.call(2, "pack", &value(2));
    let first = call.begun();
    drop(call);
    let mut back = client.send("GET", &[("Last-Event-ID", &first.id)], "");
    assert!(back.head().starts_with("HTTP/1.1 200 "));
    drop(held);
    assert_eq!(back.reply()["id"], 2);
    server.stop();
}

#[test]
fn a_request_that_is_repeated_after_its_connection_broke_is_not_made_twice() {
    let rig = Rig::new();
    let server = Server::start(&rig);
    let client = server.client();
    client.call(1, "pack", &value(1)).reply();
    let held = hold(&rig);
    let mut call = client.call(2, "pack", &value(2));
    call.begun();
    drop(call);
    // Once while the first is under way, and once after it has ended unheard.
    let mut again = client.call(2, "pack", &value(2));
    assert!(again.head().starts_with("HTTP/1.1 200 "));
    let mut unheard = client.call(3, "pack", &value(3));
    unheard.begun();
    drop((unheard, held));
    let first = again.reply();
    let other = server.client();
    let has_ended = |id| other.call(id, "keys", &json!({})).reply().to_string().contains("k3");
    assert!((1..100_000).any(has_ended));
    client.call(3, "pack", &value(3)).reply();
    let commits_of = |id, key| {
        let history = client.call(id, "history", &json!({ "key": key })).reply();
        history["result"]["structuredContent"]["commits"].as_array().unwrap().len()
    };
    assert_eq!((commits_of(4, "k2"), commits_of(5, "k3")), (1, 1));
    // The reply got through. Who uses the id again means another call.
    let second = client.call(2, "pack", &value(2)).reply();
    assert_ne!(first["result"], second["result"]);
    assert_eq!(commits_of(6, "k2"), 2);
    server.stop();
}

#[test]
fn each_call_with_the_same_id_keeps_the_reply_that_it_got() {
    let rig = Rig::new();
    let server = Server::start(&rig);
    let mut client = server.client();
    let start = json!({ "workflowId": "wr.tour", "goal": "see it" });
    let mut made: Vec<(Event, Vec<String>)> = Vec::new();
    for _ in 0..3 {
        let mut call = client.call(7, "start_workflow", &start);
        call.head();
        let events = call.events();
        let ids: Vec<String> = events.iter().map(|event| event.id.clone()).collect();
        assert!(ids.iter().all(|id| made.iter().all(|(_, earlier)| !earlier.contains(id))));
        made.push((events.last().unwrap().clone(), ids));
    }
    let labels: Vec<&Value> = made
        .iter()
        .map(|(reply, _)| &reply.message.as_ref().unwrap()["result"]["structuredContent"]["run"])
        .collect();
    assert!(
        labels[0] != labels[1] && labels[1] != labels[2],
        "the replies got through: {labels:?}"
    );
    let replays = |client: &Client| {
        for (reply, ids) in &made {
            assert_eq!(client.after(&ids[0]), std::slice::from_ref(reply));
        }
    };
    replays(&client);
    server.stop();
    let server = Server::start(&rig);
    server.address.clone_into(&mut client.address);
    replays(&client);
    server.stop();
}
