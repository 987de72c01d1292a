//! What a synthesis reads, seen from below: every key that it asks the table for.

use std::sync::{Arc, Mutex};

use piton_context::agent::AgentContext;
use piton_context::read::View;
use piton_context::synthesis::{Inputs, PolicySpec};
use piton_context::{Context, ContextPorts, ProjectLocation};
use piton_store::testing::WatchedTable;

use crate::scene::{Scene, agents, block_on, node, summaries};

// shows: CT-056
#[test]
fn a_synthesis_reads_nothing_outside_its_subtree() {
    let scene = Scene::scanned(&[("a/x", "x"), ("a/deep/y", "y"), ("beside/z", "z"), ("top", "t")]);
    for file in ["a/x", "a/deep/y", "beside/z", "top"] {
        scene.put(file, "summary", file);
    }
    let outside = ["beside", "beside/z", "top"].map(|path| scene.get(path, &View::default()));
    let inside = ["a", "a/deep"].map(|path| scene.get(path, &View::default()).node);
    let keys = Arc::new(Mutex::new(Vec::new()));
    let asked = Arc::clone(&keys);
    let table = WatchedTable::new(Arc::clone(&scene.ports.table), move |call| {
        asked.lock().unwrap().extend(call.keys_read().into_iter().map(<[u8]>::to_vec));
    });
    let ports = ContextPorts { table: Arc::new(table), ..scene.ports.clone() };
    let project = ProjectLocation::new(scene.dir.path());
    let agent = "synthesis".parse().unwrap();
    let adapter = AgentContext::new(Context::new(ports, project), &agents(), &agent).unwrap();
    let mut request = summaries(PolicySpec::Concatenation);
    request.inputs = Inputs::All;
    block_on(adapter.synthesize_with(&node("a"), &request)).unwrap();
    // Whether a key was asked for that has these bytes in it.
    let saw = |bytes: &[u8]| {
        let keys = keys.lock().unwrap();
        keys.iter().any(|key: &Vec<u8>| key.windows(bytes.len()).any(|part| part == bytes))
    };
    for node in &inside {
        assert!(saw(node.id.as_bytes()), "{} is read", node.path);
    }
    assert!(saw(b"a/x\0"), "what is inside is asked for by its path");
    for found in &outside {
        assert!(!saw(found.node.id.as_bytes()), "{} is not read", found.node.path);
        let path = [found.node.path.as_bytes(), b"\0"].concat();
        assert!(!saw(&path), "no frame of {} is read", found.node.path);
    }
}
