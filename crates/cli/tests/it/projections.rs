//! What the command line shows of runs is what every door shows of them.

use std::{collections::BTreeMap, sync::Arc};

use piton_core::port::{NoTrace, Trace};
use piton_runtime::{
    Runtime, RuntimePorts,
    config::{Configuration, Environment},
    request::SessionReference,
};
use piton_store::local::{
    DataDir, LocalBlobs, LocalCache, LocalIndex, LocalKeyRing, LocalLeases, LocalTable,
    SegmentedJournal, SystemClock, SystemEntropy,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::rig::Rig;

/// The use cases over the same data directory, in this process.
fn runtime(rig: &Rig) -> Runtime {
    let dir = DataDir::open(&rig.data()).unwrap();
    let trace: Arc<dyn Trace> = Arc::new(NoTrace);
    let blobs = LocalBlobs::new(dir.clone());
    let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::clone(&trace));
    let ports = RuntimePorts {
        journal: Arc::new(SegmentedJournal::sessions(
            dir.clone(),
            blobs.clone(),
            leases.clone(),
            trace,
        )),
        blobs: Arc::new(blobs),
        table: Arc::new(LocalTable::open(&dir, &"workflow".parse().unwrap()).unwrap()),
        leases: Arc::new(leases),
        keys: Arc::new(LocalKeyRing::new(dir.clone(), Arc::new(SystemEntropy))),
        index: Arc::new(LocalIndex::new(dir.clone())),
        cache: Arc::new(LocalCache::new(dir)),
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
    };
    let environment = Environment { variables: BTreeMap::new(), working_dir: None };
    Runtime::new(ports, Configuration::load(environment).unwrap()).unwrap()
}

fn named(schema: &str, reply: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(reply).unwrap();
    value["schema"] = json!(schema);
    value
}

// shows in part: WR-502 (the part about the command line)
#[test]
fn a_program_reads_the_projections_of_the_runtime_and_nothing_else() {
    let rig = Rig::new();
    let run = rig.tour();
    let runtime = runtime(&rig);
    let executor = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let reference = SessionReference(run.id.clone());
    let (list, shown, tree) = executor.block_on(async {
        let list = runtime.list_sessions().await.unwrap();
        let shown = runtime.show_session(&reference).await.unwrap();
        (list, shown, runtime.run_tree(&reference).await.unwrap())
    });
    let tells = |command: &str| rig.tells(&["session", command, &run.id]);
    assert_eq!(rig.tells(&["session", "list"]), named("piton.session.list/1", &list));
    assert_eq!(tells("show"), named("piton.session.show/1", &shown));
    assert_eq!(tells("tree"), named("piton.session.tree/1", &tree));
}
