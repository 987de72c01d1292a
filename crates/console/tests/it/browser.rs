//! A console over adapters in memory, and a raw browser.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use piton_console::entrance::Person;
use piton_console::{Console, ConsolePorts, ConsoleProject, Listener, serve};
use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_core::{Digest, FileBytes, TimestampMs};
use piton_runtime::backpack::inspect::Backpacks;
use piton_runtime::backpack::{BackpackPorts, JournalPorts};
use piton_runtime::config::{Configuration, Environment};
use piton_runtime::redaction::MachinePaths;
use piton_runtime::request::StartWorkflow;
use piton_runtime::{Runtime, RuntimePorts, Whereabouts};
use piton_store::memory::{
    MemoryBlobs, MemoryCache, MemoryChanges, MemoryIndex, MemoryJournal, MemoryKeyRing,
    MemoryLeases, MemoryTable,
};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A console that serves, and what is behind it.
pub(crate) struct Machine {
    pub(crate) console: Arc<Console>,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) changes: MemoryChanges,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) port: u16,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<()>,
}

impl Machine {
    pub(crate) async fn start() -> Self {
        Self::start_at(None).await
    }

    /// Starts a console with projects to choose from.
    pub(crate) async fn start_in(projects: &[&Path]) -> Self {
        Self::start_with(None, projects).await
    }

    /// Starts a console whose page has one further origin.
    pub(crate) async fn start_at(public: Option<&str>) -> Self {
        Self::start_with(public, &[]).await
    }

    async fn start_with(public: Option<&str>, projects: &[&Path]) -> Self {
        let clock = Arc::new(ManualClock::new(TimestampMs(1_800_000_000_000)));
        let entropy = Arc::new(SeededEntropy::new(3));
        let blobs = MemoryBlobs::new(clock.clone());
        let ports = RuntimePorts {
            journal: Arc::new(MemoryJournal::new(blobs.clone())),
            blobs: Arc::new(blobs.clone()),
            table: Arc::new(MemoryTable::new()),
            leases: Arc::new(MemoryLeases::new(clock.clone())),
            keys: Arc::new(MemoryKeyRing::new(entropy.clone())),
            cache: Arc::new(MemoryCache::new()),
            index: Arc::new(MemoryIndex::new()),
            clock: clock.clone(),
            entropy: entropy.clone(),
        };
        let backpacks = JournalPorts {
            journal: Arc::new(MemoryJournal::new(blobs.clone())),
            blobs: Arc::new(blobs),
            ports: BackpackPorts { clock: clock.clone(), entropy: entropy.clone() },
        };
        let configuration = Configuration::load(Environment::default()).unwrap();
        let runtime = Arc::new(Runtime::new(ports, configuration).unwrap());
        let changes = MemoryChanges::new();
        let projects = projects.iter().map(|directory| ConsoleProject {
            directory: directory.to_path_buf(),
            files: None,
            frames: None,
        });
        let projects = projects.collect();
        let console = Console::new(ConsolePorts {
            runtime: runtime.clone(),
            backpacks: Backpacks::new(backpacks),
            projects,
            table: Arc::new(MemoryTable::new()),
            changes: Arc::new(changes.clone()),
            demo: None,
            clock: clock.clone(),
            entropy,
            person: Person::new("os-user").unwrap(),
            machine: MachinePaths::default().home(Some(Path::new("/home/os-user"))),
            program: Digest::of(&FileBytes(b"this program")),
        });
        let listener = Listener::bind(0).await.unwrap().unwrap();
        let port = listener.address().port();
        let (stop, stopped) = oneshot::channel::<()>();
        let public = public.map(|public| public.parse().unwrap());
        let served = tokio::spawn({
            let console = console.clone();
            async move {
                serve(listener, console, public, async { drop(stopped.await) }).await;
            }
        });
        Self { console, runtime, changes, clock, port, stop: Some(stop), served }
    }

    /// Returns a key for one link.
    pub(crate) async fn key(&self) -> String {
        let fragment = self.console.link_fragment().await.unwrap();
        fragment.strip_prefix("/#").unwrap().to_owned()
    }

    /// Returns a browser that has not entered.
    pub(crate) fn browser(&self) -> Browser {
        Browser { port: self.port, cookie: None, secret: None }
    }

    /// Returns a browser that has entered.
    pub(crate) async fn entered(&self) -> Browser {
        let mut browser = self.browser();
        let reply = browser.enter(&self.key().await, None).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        browser
    }

    /// Starts a run as an agent does, and returns its session.
    pub(crate) async fn start_run(&self, workflow: &str) -> String {
        let agent = self.runtime.connect(Whereabouts::default());
        let request: StartWorkflow =
            serde_json::from_value(serde_json::json!({ "workflowId": workflow, "goal": "see it" }))
                .unwrap();
        agent.start_workflow(request).await.unwrap().body.run.session_id.to_string()
    }

    /// Returns the run of a session, and the node that it is at.
    pub(crate) async fn tip(browser: &Browser, session: &str) -> (String, String) {
        let listed = browser.get("/api/v1/sessions").await.json();
        let mut runs = listed["runs"].as_array().unwrap().iter();
        let run = runs.find(|run| run["sessionId"] == session).unwrap();
        let run = run["runId"].as_str().unwrap().to_owned();
        let shape = browser.get(&format!("/api/v1/sessions/{session}/runs/{run}/shape")).await;
        let node = shape.json()["shape"]["nodes"]["id"][0].as_str().unwrap().to_owned();
        (run, node)
    }

    pub(crate) async fn stop(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        self.served.await.unwrap();
    }
}

/// A browser as far as a server sees one.
#[derive(Clone)]
pub(crate) struct Browser {
    pub(crate) port: u16,
    pub(crate) cookie: Option<String>,
    pub(crate) secret: Option<String>,
}

/// What a server answers.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    fn read(bytes: &[u8]) -> Self {
        let split = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a whole head");
        let head = String::from_utf8(bytes[..split].to_vec()).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        Self { status, headers: headers.collect(), body: bytes[split + 4..].to_vec() }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}", self.text()))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

impl Browser {
    /// Returns the headers that our own page sends.
    pub(crate) fn own(&self) -> Vec<(String, String)> {
        let host = format!("127.0.0.1:{}", self.port);
        let mut headers = vec![
            ("Host".to_owned(), host.clone()),
            ("Origin".to_owned(), format!("http://{host}")),
            ("Sec-Fetch-Site".to_owned(), "same-origin".to_owned()),
            ("Content-Type".to_owned(), "application/json".to_owned()),
        ];
        headers.extend(self.cookie.clone().map(|cookie| ("Cookie".to_owned(), cookie)));
        headers.extend(self.secret.clone().map(|secret| ("Piton-Console".to_owned(), secret)));
        headers
    }

    /// Sends a request with exactly these headers.
    pub(crate) async fn send(
        &self,
        line: &str,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Reply {
        let mut stream = self.begin(line, headers, body).await;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        Reply::read(&bytes)
    }

    /// Sends a request and leaves the connection open.
    pub(crate) async fn begin(
        &self,
        line: &str,
        headers: &[(String, String)],
        body: &[u8],
    ) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let mut head = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        write!(head, "Content-Length: {}\r\n\r\n", body.len()).unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        // A server that refuses a long body early closes the connection.
        let _ = stream.write_all(body).await;
        stream
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(&format!("GET {path}"), &self.own(), b"").await
    }

    /// Asks again for something that it has.
    pub(crate) async fn get_again(&self, path: &str, tag: &str) -> Reply {
        let mut headers = self.own();
        headers.push(("If-None-Match".to_owned(), tag.to_owned()));
        self.send(&format!("GET {path}"), &headers, b"").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(&format!("POST {path}"), &self.own(), body.to_string().as_bytes()).await
    }

    /// Enters with a key, and keeps both halves of the sign-in.
    pub(crate) async fn enter(&mut self, key: &str, name: Option<&str>) -> Reply {
        let body = serde_json::json!({ "key": key, "name": name });
        let reply = self.post("/api/v1/enter", &body).await;
        if reply.status == 200 {
            let cookie = reply.header("set-cookie");
            self.cookie = Some(cookie.split(';').next().unwrap().to_owned());
            self.secret = Some(reply.json()["secret"].as_str().unwrap().to_owned());
        }
        reply
    }
}
