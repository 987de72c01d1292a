//! How often the table is asked, which is what a read waits for.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use piton_context::{Context, Ports, agent::AgentAdapter, read::View};
use piton_store::testing::WatchedTable;

use crate::scene::{Scene, agents, block_on, node};

/// How often the table is asked for a node, and how many frames come of it.
fn reads(scene: &Scene, at: &str) -> (usize, usize) {
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reads);
    let table = WatchedTable::new(Arc::clone(&scene.ports.table), move |call| {
        if !call.keys_read().is_empty() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let ports = Ports { table: Arc::new(table), ..scene.ports.clone() };
    let context = Context::new(ports, scene.context.project());
    let reader = AgentAdapter::new(context, &agents(), &"reader".parse().unwrap()).unwrap();
    let seen = block_on(reader.read_context(&node(at), &View::default())).unwrap();
    (reads.load(Ordering::Relaxed), seen.frames.len())
}

// shows in part: CT-091 (the part that a read does not wait for each frame)
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
