//! A machine of one user: a home, a project, and a store.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_core::TimestampMs;
use piton_core::port::NoTrace;
use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_runtime::config::{ConfigProblem, Configuration, Environment};
use piton_runtime::request::{Continue, StartWorkflow, SubmittedOutput};
use piton_runtime::{Connection, Runtime, RuntimePorts, Whereabouts};
use piton_store::local::{
    DataDir, LocalBlobs, LocalCache, LocalIndex, LocalKeyRing, LocalLeases, LocalTable,
    SegmentedJournal, SystemClock, SystemEntropy,
};
use piton_store::memory::{
    MemoryBlobs, MemoryCache, MemoryIndex, MemoryJournal, MemoryKeyRing, MemoryLeases, MemoryTable,
};
use piton_workflow::SessionEvent;
use piton_workflow::session::RunLine;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Machine {
    root: TempDir,
    pub(crate) ports: RuntimePorts,
    variables: BTreeMap<String, String>,
}

impl Machine {
    pub(crate) fn in_memory() -> Self {
        let clock = Arc::new(ManualClock::new(TimestampMs(1_700_000_000_000)));
        let blobs = MemoryBlobs::new(clock.clone());
        Self::over(clock, blobs)
    }

    /// The same, with a clock that somebody else turns and blobs that somebody else has too.
    pub(crate) fn over(clock: Arc<ManualClock>, blobs: MemoryBlobs) -> Self {
        Self::with(memory(clock, blobs))
    }

    pub(crate) fn on_disk() -> Self {
        let root = TempDir::new().unwrap();
        let data = root.path().join("data");
        let machine = Self { ports: local(&data), root, variables: BTreeMap::new() };
        machine.prepare()
    }

    fn with(ports: RuntimePorts) -> Self {
        Self { root: TempDir::new().unwrap(), ports, variables: BTreeMap::new() }.prepare()
    }

    fn prepare(mut self) -> Self {
        fs::create_dir_all(self.project()).unwrap();
        let home = self.home().display().to_string();
        self.variables.insert("HOME".to_owned(), home);
        self
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(crate) fn user_dir(&self) -> PathBuf {
        self.home().join(".config/piton")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.path().join("home/project")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    /// Writes a file below the home directory.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.home().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Sets a variable of the environment of processes that start from now on.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    pub(crate) fn environment(&self) -> Environment {
        Environment { variables: self.variables.clone(), working_dir: Some(self.project()) }
    }

    pub(crate) fn configuration(&self) -> Result<Configuration, Vec<ConfigProblem>> {
        Configuration::load(self.environment())
    }

    /// A process that just started, over the same store.
    pub(crate) fn runtime(&self) -> Arc<Runtime> {
        let configuration = self.configuration().unwrap();
        Arc::new(Runtime::new(self.ports.clone(), configuration).unwrap())
    }

    /// The same, once nothing is wrong with the project's configuration any more.
    pub(crate) fn runtime_after_mending(&self) -> Arc<Runtime> {
        self.write("project/piton.toml", "");
        self.runtime()
    }

    /// An agent in the project.
    pub(crate) fn agent(&self) -> Connection {
        let working_dir = Some(self.project());
        self.runtime().connect(Whereabouts { working_dir, ..Whereabouts::default() })
    }
}

fn memory(clock: Arc<ManualClock>, blobs: MemoryBlobs) -> RuntimePorts {
    let entropy = Arc::new(SeededEntropy::new(7));
    RuntimePorts {
        journal: Arc::new(MemoryJournal::<SessionEvent>::new(blobs.clone())),
        blobs: Arc::new(blobs),
        table: Arc::new(MemoryTable::new()),
        leases: Arc::new(MemoryLeases::new(clock.clone())),
        keys: Arc::new(MemoryKeyRing::new(entropy.clone())),
        index: Arc::new(MemoryIndex::new()),
        cache: Arc::new(MemoryCache::new()),
        clock,
        entropy,
    }
}

fn local(root: &Path) -> RuntimePorts {
    let dir = DataDir::open(root).unwrap();
    let blobs = LocalBlobs::new(dir.clone());
    let clock = Arc::new(SystemClock);
    let leases = LocalLeases::new(dir.clone(), clock.clone(), Arc::new(NoTrace));
    let journal =
        SegmentedJournal::sessions(dir.clone(), blobs.clone(), leases.clone(), Arc::new(NoTrace));
    RuntimePorts {
        journal: Arc::new(journal),
        blobs: Arc::new(blobs),
        table: Arc::new(LocalTable::open(&dir, &"piton".parse().unwrap()).unwrap()),
        leases: Arc::new(leases),
        keys: Arc::new(LocalKeyRing::new(dir.clone(), Arc::new(SystemEntropy))),
        index: Arc::new(LocalIndex::new(dir.clone())),
        cache: Arc::new(LocalCache::new(dir)),
        clock,
        entropy: Arc::new(SystemEntropy),
    }
}

/// A workflow file of two plain steps.
pub(crate) fn two_steps(id: &str) -> String {
    workflow(id, &["first", "second"])
}

pub(crate) fn workflow(id: &str, steps: &[&str]) -> String {
    let step = |id: &&str| json!({ "id": id, "title": format!("Title of {id}"), "prompt": format!("Do {id}.") });
    let steps: Vec<Value> = steps.iter().map(step).collect();
    json!({ "id": id, "name": "A sample", "description": "For tests.", "steps": steps }).to_string()
}

pub(crate) fn start(id: &str) -> StartWorkflow {
    StartWorkflow {
        workflow_id: id.to_owned(),
        goal: Some("mend the login".to_owned()),
        context: None,
        project_dir: None,
        start_key: None,
    }
}

/// The same call for a run that is not the only one.
pub(crate) fn labelled(run: &RunLine, call: Continue) -> Continue {
    Continue { label: Some(run.label.to_string()), ..call }
}

/// Submits notes for the step that an answer asks for.
pub(crate) fn notes(ack_token: Option<&String>, notes: &str) -> Continue {
    let output = SubmittedOutput { notes_markdown: Some(notes.to_owned()), artifacts: Vec::new() };
    let ack_token = ack_token.cloned();
    Continue { ack_token, output: Some(output), ..Continue::default() }
}
