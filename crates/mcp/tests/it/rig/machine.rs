//! A machine of one user: a home, a project, and a store on its disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use piton_core::port::NoTrace;
use piton_runtime::config::{Configuration, Environment};
use piton_runtime::{Runtime, RuntimePorts, Whereabouts};
use piton_store::local::{
    DataDir, LocalBlobs, LocalCache, LocalIndex, LocalKeyRing, LocalLeases, LocalReplies,
    LocalTable, SegmentedJournal, SystemClock, SystemEntropy,
};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Machine {
    root: TempDir,
    pub(crate) ports: RuntimePorts,
}

impl Machine {
    /// A machine whose project has the workflow `project.plain` of two steps.
    pub(crate) fn new() -> Self {
        let root = TempDir::new().unwrap();
        let dir = DataDir::open(&root.path().join("data")).unwrap();
        let machine = Self { ports: local(&dir), root };
        machine.write("project/.piton/workflows/plain.json", &plain("project.plain").to_string());
        machine
    }

    /// Replies as another process keeps them on this machine.
    pub(crate) fn replies(&self) -> Arc<LocalReplies> {
        Arc::new(LocalReplies::new(DataDir::open(&self.root.path().join("data")).unwrap()))
    }

    /// What is kept of replies, file by file.
    pub(crate) fn kept_replies(&self) -> Vec<String> {
        let mut kept = Vec::new();
        let Ok(clients) = fs::read_dir(self.root.path().join("data/run/replies")) else {
            return kept;
        };
        for client in clients {
            for entry in fs::read_dir(client.unwrap().path()).unwrap() {
                // It may be replaced at this moment.
                let bytes = fs::read(entry.unwrap().path()).unwrap_or_default();
                kept.push(String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        kept
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    /// Writes a file below the home directory.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.home().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A process that just started, in the project.
    pub(crate) fn runtime(&self) -> Arc<Runtime> {
        self.runtime_with(BTreeMap::new())
    }

    /// The same, with more in its environment.
    pub(crate) fn runtime_with(&self, mut variables: BTreeMap<String, String>) -> Arc<Runtime> {
        variables.insert("HOME".to_owned(), self.home().display().to_string());
        let environment = Environment { variables, working_dir: None };
        let configuration = Configuration::load(environment).unwrap();
        Arc::new(Runtime::new(self.ports.clone(), configuration).unwrap())
    }

    pub(crate) fn whereabouts(&self) -> Whereabouts {
        Whereabouts { working_dir: Some(self.project()), ..Whereabouts::default() }
    }
}

fn local(dir: &DataDir) -> RuntimePorts {
    let blobs = LocalBlobs::new(dir.clone());
    let clock = Arc::new(SystemClock);
    let leases = LocalLeases::new(dir.clone(), clock.clone(), Arc::new(NoTrace));
    let journal =
        SegmentedJournal::sessions(dir.clone(), blobs.clone(), leases.clone(), Arc::new(NoTrace));
    RuntimePorts {
        journal: Arc::new(journal),
        blobs: Arc::new(blobs),
        table: Arc::new(LocalTable::open(dir, &"piton".parse().unwrap()).unwrap()),
        leases: Arc::new(leases),
        keys: Arc::new(LocalKeyRing::new(dir.clone(), Arc::new(SystemEntropy))),
        index: Arc::new(LocalIndex::new(dir.clone())),
        cache: Arc::new(LocalCache::new(dir.clone())),
        clock,
        entropy: Arc::new(SystemEntropy),
    }
}

/// A workflow file of two plain steps.
fn plain(id: &str) -> Value {
    let step = |name: &str| json!({ "id": name, "title": format!("Title of {name}"), "prompt": format!("Do {name}.") });
    json!({ "id": id, "name": "A sample", "description": "For tests.", "steps": [step("first"), step("second")] })
}
