//! Messages of MCP clients, to a server whose store is in memory.
//!
//! Each input is what one client writes after its handshake, until it closes the pipe.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use piton_core::TimestampMs;
use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_runtime::config::{Configuration, Environment};
use piton_runtime::{Runtime, RuntimePorts, Whereabouts};
use piton_store::memory::{
    MemoryBlobs, MemoryCache, MemoryIndex, MemoryJournal, MemoryKeyRing, MemoryLeases, MemoryTable,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const HELLO: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

/// After so many inputs the store is made again: what they started is held in memory.
const INPUTS_PER_STORE: u32 = 2_000;

/// Runs asynchronous code on a runtime that the thread keeps.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    thread_local! {
        static EXECUTOR: tokio::runtime::Runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime starts");
    }
    EXECUTOR.with(|executor| executor.block_on(work))
}

fn runtime() -> Arc<Runtime> {
    let clock = Arc::new(ManualClock::new(TimestampMs(1_700_000_000_000)));
    let blobs = MemoryBlobs::new(clock.clone());
    let entropy = Arc::new(SeededEntropy::new(1));
    let ports = RuntimePorts {
        journal: Arc::new(MemoryJournal::new(blobs.clone())),
        blobs: Arc::new(blobs),
        table: Arc::new(MemoryTable::new()),
        leases: Arc::new(MemoryLeases::new(clock.clone())),
        keys: Arc::new(MemoryKeyRing::new(entropy.clone())),
        cache: Arc::new(MemoryCache::new()),
        index: Arc::new(MemoryIndex::new()),
        clock,
        entropy,
    };
    let variables = BTreeMap::from([("HOME".to_owned(), "/nonexistent".to_owned())]);
    let environment = Environment { variables, working_dir: None };
    let configuration = Configuration::load(environment).expect("there is no file to be wrong");
    Arc::new(Runtime::new(ports, configuration).expect("a runtime over memory starts"))
}

/// What one client writes.
pub(crate) fn mcp(bytes: &[u8]) {
    thread_local! {
        static RUNTIME: RefCell<(u32, Option<Arc<Runtime>>)> = const { RefCell::new((0, None)) };
    }
    let runtime = RUNTIME.with_borrow_mut(|(inputs, held)| {
        *inputs = (*inputs + 1) % INPUTS_PER_STORE;
        if *inputs == 1 || held.is_none() {
            *held = Some(runtime());
        }
        held.clone().expect("it was just made")
    });
    block_on(async {
        let (mut client, server) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(server);
        let serving = piton_mcp::serve_pipe(read, write, runtime, Whereabouts::default());
        let asking = async {
            let _ = client.write_all(HELLO).await;
            let _ = client.write_all(bytes).await;
            let _ = client.shutdown().await;
            let mut said = Vec::new();
            let _ = client.read_to_end(&mut said).await;
        };
        let (served, ()) = tokio::join!(serving, asking);
        let _ = served;
    });
}
