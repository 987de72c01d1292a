//! The number of bytes that one append writes, so that its baseline writes as many.

use std::path::Path;
use std::sync::Arc;

use piton_store::testing::Recorder;

use super::rig::{EVENTS, KernelRig, StreamPlans};
use crate::error::{Error, Result};
use crate::quiet_disk::QuietDisk;

/// Bytes of one append of [`EVENTS`] events and one snapshot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) segment: usize,
    pub(super) snapshot: usize,
    pub(super) group: usize,
}

impl Sizes {
    /// Observes an append in an empty directory.
    pub(super) fn observe(root: &Path) -> Result<Self> {
        let recorder = Recorder::new(Arc::new(QuietDisk));
        let rig = KernelRig::open(Arc::new(recorder.clone()), root)?;
        let mut plans = StreamPlans::new("observed", EVENTS);
        let (first, second) = (plans.next(), plans.next());
        // The first append also creates the session; the second is like all others.
        rig.lease_and_append(&plans.stream, first)?;
        recorder.take();
        rig.lease_and_append(&plans.stream, second)?;
        let calls = recorder.take();
        let written = |part: &str| -> Result<usize> {
            let writes = calls.iter().filter(|call| call.operation == "write");
            let bytes = writes
                .filter(|call| call.path.iter().any(|name| name == part))
                .map(|call| call.bytes)
                .sum();
            // A layout with other names would silently turn the baseline into a write of nothing.
            if bytes == 0 {
                return Err(Error::Wrong {
                    what: "bytes written by an append",
                    expected: 1,
                    found: 0,
                });
            }
            Ok(bytes)
        };
        Ok(Self {
            segment: written("events")?,
            snapshot: written("snapshots")?,
            group: written("manifest.jsonl")?,
        })
    }
}
