//! Checking everything while somebody writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use piton_context::agent::AgentContext;
use piton_context::frame::PutFrame;
use piton_context::{Context, ContextPorts};
use piton_store::port::{EntryChange, Expect, Table, TableEntry, TableWrite};
use piton_store::testing::{TableCall, WatchedTable};

use crate::scene::{Scene, agents, block_on};

/// Puts a frame, as another process does.
fn write_elsewhere(writer: &AgentContext, number: u64) {
    let frame =
        PutFrame::new("a", "summary".parse().unwrap(), format!("written meanwhile {number}"));
    let write = || block_on(writer.put_frame(&frame)).unwrap();
    std::thread::scope(|scope| scope.spawn(write).join().unwrap());
}

// shows in part: CT-034 (the part that a check beside writers finds nothing that is not there), CT-081 (beside writers)
#[test]
fn a_check_beside_a_writer_tells_damage_and_nothing_else() {
    let scene = Scene::scanned(&[("a", "1"), ("b", "2")]);
    scene.put("a", "summary", "about a");
    scene.put("b", "summary", "about b");
    let writer =
        AgentContext::new(scene.context.clone(), &agents(), &"writer".parse().unwrap()).unwrap();
    let written = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&written);
    // Somebody writes each time before the sets of frames are read.
    let table = WatchedTable::new(Arc::clone(&scene.ports.table), move |call| {
        // The project takes 16 bytes of a key, the kind of row the next one.
        if let TableCall::Scan(prefix) = call
            && prefix.get(16) == Some(&b's')
        {
            write_elsewhere(&writer, counted.fetch_add(1, Ordering::Relaxed));
        }
    });
    let ports = ContextPorts { table: Arc::new(table), ..scene.ports.clone() };
    let context = Context::new(ports, scene.context.location().clone());
    let found = block_on(context.validate()).unwrap();
    assert!(found.is_sound(), "{:?}", found.damage);
    assert_eq!(written.load(Ordering::Relaxed), 1, "somebody wrote in between");

    let rows = block_on(scene.table.scan(b"", None, 1_000)).unwrap().entries;
    let heads: Vec<&TableEntry> = rows.iter().filter(|row| row.key[16] == b'h').collect();
    let of_b = heads.iter().find(|row| row.key[17] == b'b').unwrap();
    let remove =
        TableWrite { key: of_b.key.clone(), expect: Expect::Anything, change: EntryChange::Remove };
    block_on(scene.table.commit(vec![remove])).unwrap();
    let found = block_on(context.validate()).unwrap();
    let told: Vec<&str> = found.damage.iter().map(|damage| damage.what.as_str()).collect();
    assert_eq!(told, ["the summary head of b"], "what is damaged, and nothing that was written");
}
