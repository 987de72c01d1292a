//! How often the table is asked, which is what a read waits for.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use piton_context::{Context, Ports, agent::AgentAdapter, read::View};
use piton_store::{
    Error,
    memory::MemoryTable,
    port::{Batch, BoxFuture, Entry, Key, Page, Table, Version},
};

use crate::scene::{Scene, agents, block_on, node};

/// A table that counts how often it is read.
struct Counting {
    table: MemoryTable,
    reads: AtomicUsize,
}

impl Counting {
    fn read(&self) -> &MemoryTable {
        self.reads.fetch_add(1, Ordering::Relaxed);
        &self.table
    }
}

impl Table for Counting {
    fn get<'a>(&'a self, key: &'a [u8]) -> BoxFuture<'a, Result<Option<Entry>, Error>> {
        self.read().get(key)
    }

    fn get_all(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Vec<Option<Entry>>, Error>> {
        self.read().get_all(keys)
    }

    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, Error>> {
        self.read().scan(prefix, after, limit)
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Version, Error>> {
        self.table.commit(batch)
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Arc<dyn Table>, Error>> {
        self.table.snapshot()
    }
}

/// How often the table is asked for a node, and how many frames come of it.
fn reads(scene: &Scene, at: &str) -> (usize, usize) {
    let table = Arc::new(Counting { table: scene.table.clone(), reads: AtomicUsize::new(0) });
    let ports = Ports { table: table.clone(), ..scene.ports.clone() };
    let context = Context::new(ports, scene.context.project());
    let reader = AgentAdapter::new(context, &agents(), &"reader".parse().unwrap()).unwrap();
    let seen = block_on(reader.read_context(&node(at), &View::default())).unwrap();
    (table.reads.load(Ordering::Relaxed), seen.frames.len())
}

// shows: CT-091 (the part that a read does not wait for each frame)
#[test]
fn many_frames_of_a_node_are_read_as_often_as_few() {
    let scene = Scene::scanned(&[("d/few", "1"), ("d/many", "2")]);
    scene.put("d/few", "note", "only one");
    for number in 0..40 {
        scene.put("d/many", "note", &format!("number {number}"));
    }
    let ((few, one), (many, all)) = (reads(&scene, "d/few"), reads(&scene, "d/many"));
    assert_eq!((one, all), (1, 40));
    assert_eq!(many, few);
}
