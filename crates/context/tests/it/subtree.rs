//! What a synthesis reads, seen from below: every key that it asks the table for.

use std::sync::{Arc, Mutex};

use piton_context::{
    Context, Ports, ProjectId,
    agent::AgentAdapter,
    read::View,
    synthesis::{Inputs, PolicySpec},
};
use piton_store::{
    Error,
    port::{Batch, BoxFuture, Entry, Page, Table, Version},
};

use crate::scene::{Scene, agents, block_on, node, summaries};

/// A table that remembers what it was asked for.
struct Asked {
    inner: Arc<dyn Table>,
    keys: Mutex<Vec<Vec<u8>>>,
}

impl Asked {
    fn note(&self, key: &[u8]) {
        self.keys.lock().unwrap().push(key.to_vec());
    }

    /// Whether a key was asked for that has these bytes in it.
    fn saw(&self, bytes: &[u8]) -> bool {
        let keys = self.keys.lock().unwrap();
        keys.iter().any(|key| key.windows(bytes.len()).any(|part| part == bytes))
    }
}

impl Table for Asked {
    fn get<'a>(&'a self, key: &'a [u8]) -> BoxFuture<'a, Result<Option<Entry>, Error>> {
        self.note(key);
        self.inner.get(key)
    }

    fn get_all(&self, keys: Vec<Arc<[u8]>>) -> BoxFuture<'_, Result<Vec<Option<Entry>>, Error>> {
        for key in &keys {
            self.note(key);
        }
        self.inner.get_all(keys)
    }

    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, Error>> {
        self.note(prefix);
        self.inner.scan(prefix, after, limit)
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Version, Error>> {
        self.inner.commit(batch)
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Arc<dyn Table>, Error>> {
        self.inner.snapshot()
    }
}

// shows: CT-056
#[test]
fn a_synthesis_reads_nothing_outside_its_subtree() {
    let scene = Scene::scanned(&[("a/x", "x"), ("a/deep/y", "y"), ("beside/z", "z"), ("top", "t")]);
    for file in ["a/x", "a/deep/y", "beside/z", "top"] {
        scene.put(file, "summary", file);
    }
    let outside = ["beside", "beside/z", "top"].map(|path| scene.get(path, &View::default()));
    let inside = ["a", "a/deep"].map(|path| scene.get(path, &View::default()).node);
    let table = Arc::new(Asked { inner: Arc::clone(&scene.ports.table), keys: Mutex::default() });
    let ports = Ports { table: Arc::clone(&table) as _, ..scene.ports.clone() };
    let project = ProjectId::of_directory(scene.dir.path().as_os_str().as_encoded_bytes());
    let agent = "synthesis".parse().unwrap();
    let adapter = AgentAdapter::new(Context::new(ports, project), &agents(), &agent).unwrap();
    let mut request = summaries(PolicySpec::Concatenation);
    request.inputs = Inputs::All;
    block_on(adapter.synthesize(&node("a"), &request)).unwrap();
    for node in &inside {
        assert!(table.saw(node.id.as_bytes()), "{} is read", node.path);
    }
    assert!(table.saw(b"a/x\0"), "what is inside is asked for by its path");
    for found in &outside {
        assert!(!table.saw(found.node.id.as_bytes()), "{} is not read", found.node.path);
        let path = [found.node.path.as_bytes(), b"\0"].concat();
        assert!(!table.saw(&path), "no frame of {} is read", found.node.path);
    }
}
