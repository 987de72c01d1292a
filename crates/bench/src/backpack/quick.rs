//! The frequent operations of nodes: pack, unpack, and query a namespace.

use piton_backpack::{NodeIdentity, Permissions};

use super::rig::{empty, node, row, writer};
use crate::error::{Result, expect};
use crate::report::MeasureRow;

const REPETITIONS: u32 = 2_000;
const PACK_US_MAX: f64 = 2.0;
const UNPACK_US_MAX: f64 = 0.5;
const QUERY_US_MAX: f64 = 50.0;

// shows: BP-041, BP-110
pub(super) fn rows() -> Result<Vec<MeasureRow>> {
    Ok(vec![pack()?, unpack()?, query()?])
}

/// Packs small values under 100 keys; the history is kept and pruned along the way.
fn pack() -> Result<MeasureRow> {
    let backpack = empty();
    let node = writer(&backpack)?;
    let keys: Vec<String> = (0..100).map(|number| format!("key-{number}")).collect();
    row("pack a small value", PACK_US_MAX, REPETITIONS, |count| {
        node.pack(&keys[count as usize % 100], &count)
    })
}

/// Unpacks small values as a node that may read one namespace and a few keys.
fn unpack() -> Result<MeasureRow> {
    let backpack = empty();
    let writer = writer(&backpack)?;
    let keys: Vec<String> = (0..100).map(|number| format!("key-{number}")).collect();
    for (number, key) in keys.iter().enumerate() {
        let _ = writer.pack(key, &number)?;
    }
    let permissions = Permissions::none()
        .reading(["other-1", "other-2"])?
        .denying(["secret"])?
        .reading_namespaces(["other.*", "flow.*"])?;
    let identity = NodeIdentity::new("reader", "reader").map_err(piton_backpack::Error::from)?;
    let reader = backpack.scope(identity, Some(permissions))?;
    row("unpack a small value, with permissions", UNPACK_US_MAX, REPETITIONS, |count| {
        reader.unpack_required::<u32>(&keys[count as usize % 100])
    })
}

/// Reads the 100 items of one namespace out of 10,000 items in a hundred namespaces.
fn query() -> Result<MeasureRow> {
    let backpack = empty();
    for number in 0..10_000_u32 {
        let writer = node(&backpack, "writer", &format!("flow.node-{}", number % 100))?;
        let _ = writer.pack(&format!("key-{number}"), &number)?;
    }
    let permissions = Permissions::none().reading_namespaces(["flow.**"])?;
    let identity = NodeIdentity::new("reader", "reader").map_err(piton_backpack::Error::from)?;
    let reader = backpack.scope(identity, Some(permissions))?;
    let found = reader.items_by_namespace("flow.node-7")?.len();
    expect("items of the namespace", 100, found as u64)?;
    row("read 100 of 10,000 items by namespace", QUERY_US_MAX, 50, |_| {
        reader.items_by_namespace("flow.node-7")
    })
}
