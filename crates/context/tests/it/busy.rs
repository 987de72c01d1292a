//! Checking everything while somebody writes.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use piton_context::{Context, Ports, agent::AgentAdapter, frame::NewFrame};
use piton_store::{
    Error,
    memory::MemoryTable,
    port::{Batch, BoxFuture, Change, Entry, Expect, Key, Page, Table, Version, Write},
};

use crate::scene::{Scene, agents, block_on, node};

/// A table in which somebody puts a frame each time before the sets of frames are read.
struct Busy {
    table: MemoryTable,
    writer: AgentAdapter,
    written: AtomicU64,
}

impl Busy {
    async fn interfere(&self) {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let frame =
            NewFrame::new("summary".parse().unwrap(), format!("written meanwhile {number}"));
        self.writer.write_context(&node("a"), frame, false).await.unwrap();
    }
}

impl Table for Busy {
    fn get<'a>(&'a self, key: &'a [u8]) -> BoxFuture<'a, Result<Option<Entry>, Error>> {
        self.table.get(key)
    }

    fn get_all(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Vec<Option<Entry>>, Error>> {
        self.table.get_all(keys)
    }

    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(async move {
            // The project takes 16 bytes of a key, the kind of row the next one.
            if prefix.get(16) == Some(&b's') {
                self.interfere().await;
            }
            self.table.scan(prefix, after, limit).await
        })
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Version, Error>> {
        self.table.commit(batch)
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Arc<dyn Table>, Error>> {
        self.table.snapshot()
    }
}

// shows: CT-034 (the part that a check beside writers finds nothing that is not there), CT-081 (beside writers)
#[test]
fn a_check_beside_a_writer_tells_damage_and_nothing_else() {
    let scene = Scene::scanned(&[("a", "1"), ("b", "2")]);
    scene.put("a", "summary", "about a");
    scene.put("b", "summary", "about b");
    let busy = Arc::new(Busy {
        table: scene.table.clone(),
        writer: AgentAdapter::new(scene.context.clone(), &agents(), &"writer".parse().unwrap())
            .unwrap(),
        written: AtomicU64::new(0),
    });
    let ports = Ports { table: Arc::clone(&busy) as Arc<dyn Table>, ..scene.ports.clone() };
    let context = Context::new(ports, scene.context.project());
    let found = block_on(context.validate()).unwrap();
    assert!(found.is_sound(), "{:?}", found.damage);
    assert_eq!(busy.written.load(Ordering::Relaxed), 1, "somebody wrote in between");

    let rows = block_on(scene.table.scan(b"", None, 1_000)).unwrap().entries;
    let heads: Vec<&Entry> = rows.iter().filter(|row| row.key[16] == b'h').collect();
    let of_b = heads.iter().find(|row| row.key[17] == b'b').unwrap();
    let remove = Write { key: of_b.key.clone(), expect: Expect::Anything, change: Change::Remove };
    block_on(scene.table.commit(vec![remove])).unwrap();
    let found = block_on(context.validate()).unwrap();
    let told: Vec<&str> = found.damage.iter().map(|damage| damage.what.as_str()).collect();
    assert_eq!(told, ["the summary head of b"], "what is damaged, and nothing that was written");
}
