//! The bytes of snapshots, frozen. The files and digests were made by another program.

use std::sync::Arc;

use piton_core::port::TimestampMs;
use piton_core::port::fixed::ManualClock;
use piton_store::memory::MemoryBlobs;
use piton_store::port::{BlobNamespace, BlobReader, Blobs};
use piton_workflow::ExecutionSnapshot;

use super::samples::snapshots;
use crate::token::samples::ready;

/// The files of `samples::snapshots`, in the same order, and their digests.
const FILES: [(&str, &str); 4] = [
    (
        include_str!("data/init.json"),
        "sha256:f25507b5feb01951ccf076114f3a63ffb838dcb62bdbaf88058e3f2e1801749d",
    ),
    (
        include_str!("data/idle.json"),
        "sha256:e867df8c01e8384a164b74038a84ea4a201e22c852e372c6f1c0a9b3fdbc812a",
    ),
    (
        include_str!("data/in_loops.json"),
        "sha256:758f86421861c2d3cbb9992287e60683a7eaadd720f3322ef727fda30058a00a",
    ),
    (
        include_str!("data/complete.json"),
        "sha256:29d36802e28321d50dd3af7dbf2dce654ca3d6a284c45a56603fc9e07628ac95",
    ),
];

// shows: WR-546
#[test]
fn the_bytes_of_a_snapshot_are_fixed() {
    for (snapshot, (text, digest)) in snapshots().iter().zip(FILES) {
        assert_eq!(snapshot.encode().as_str(), text);
        assert_eq!(snapshot.snapshot_ref().to_string(), digest);
        assert_eq!(ExecutionSnapshot::decode(text.as_bytes()).as_ref(), Ok(snapshot));
        assert_eq!(serde_json::from_str::<ExecutionSnapshot>(text).unwrap(), *snapshot);
    }
}

// shows: WR-213
#[test]
fn a_snapshot_that_is_stored_twice_is_there_once_under_its_reference() {
    let blobs = MemoryBlobs::new(Arc::new(ManualClock::new(TimestampMs(0))));
    let put = |snapshot: &ExecutionSnapshot| {
        ready(blobs.put(BlobNamespace::Snapshots, snapshot.encode().into_vec())).unwrap()
    };
    for snapshot in snapshots() {
        let digest = put(&snapshot);
        assert_eq!(put(&snapshot.clone()), digest);
        assert_eq!(snapshot.snapshot_ref().digest(), digest);
        let stored = ready(blobs.get(BlobNamespace::Snapshots, digest)).unwrap().unwrap();
        assert_eq!(ExecutionSnapshot::decode(&stored), Ok(snapshot));
    }
    let stored = ready(blobs.list(BlobNamespace::Snapshots, None, 10)).unwrap();
    assert_eq!(stored.len(), snapshots().len());
}

// shows: WR-204, WR-207
#[test]
fn the_fields_of_a_snapshot_are_fixed() {
    let schema = schemars::schema_for!(ExecutionSnapshot);
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema).unwrap());
}
