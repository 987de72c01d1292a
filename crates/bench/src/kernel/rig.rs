//! The store as the product opens it, driven from a synchronous thread.

use std::path::Path;
use std::sync::Arc;

use piton_store::local::disk::Disk;
use piton_store::local::{DataDir, LocalBlobs, LogJournal, SegmentedJournal};
use piton_store::port::{Appended, Journal};
use piton_store::testing::{Sample, sample_plan};
use piton_store::{AppendPlan, StreamId};
use tokio::runtime::{Builder, Runtime};

use crate::error::{Error, Result};
use crate::local_ports::LocalPorts;
use crate::quiet_disk::QuietDisk;

/// Number of events of one plan, as many as a typical step of a workflow has.
pub(super) const EVENTS: u64 = 5;

/// An open data directory.
pub(super) struct KernelRig {
    runtime: Runtime,
    pub(super) dir: DataDir,
    pub(super) blobs: LocalBlobs,
    pub(super) sessions: SegmentedJournal<Sample>,
    pub(super) backpacks: LogJournal<Sample>,
}

impl KernelRig {
    /// Opens an existing data directory.
    pub(super) fn open(disk: Arc<dyn Disk>, root: &Path) -> Result<Self> {
        let runtime = Builder::new_multi_thread().build().map_err(Error::io("start a runtime"))?;
        let ports = LocalPorts::open(disk, root)?;
        let (sessions, backpacks) = (ports.sessions(), ports.backpacks());
        Ok(Self { runtime, dir: ports.dir, blobs: ports.blobs, sessions, backpacks })
    }

    /// Waits for a call of a port.
    pub(super) fn wait<F: Future>(&self, call: F) -> F::Output {
        self.runtime.block_on(call)
    }

    /// Appends a plan to a session as a request does: takes the lease, appends, releases it.
    pub(super) fn lease_and_append(
        &self,
        stream: &StreamId,
        plan: AppendPlan<Sample>,
    ) -> Result<()> {
        self.wait(async {
            // The lease is dropped at the end of this block, as at the end of a request.
            let lease = self.sessions.lease(stream).await?;
            committed(&self.sessions.append(&lease.writer(), plan).await?)
        })
    }
}

/// The plans of one stream, in order.
pub(super) struct StreamPlans {
    pub(super) stream: StreamId,
    events: u64,
    next: u64,
}

impl StreamPlans {
    /// Creates plans of this number of events each.
    pub(super) fn new(name: &str, events: u64) -> Self {
        Self {
            stream: name.parse().expect("names are written out in the benchmarks"),
            events,
            next: 0,
        }
    }

    /// Creates plans of [`EVENTS`] events, and appends `count` of them without waiting for the disk.
    pub(super) fn prepared(root: &Path, name: &str, count: u64) -> Result<Self> {
        let rig = KernelRig::open(Arc::new(QuietDisk), root)?;
        let mut plans = Self::new(name, EVENTS);
        for _ in 0..count {
            let plan = plans.next();
            rig.lease_and_append(&plans.stream, plan)?;
        }
        Ok(plans)
    }

    /// Returns the next plan. With two events or more, it carries a snapshot.
    pub(super) fn next(&mut self) -> AppendPlan<Sample> {
        let first = self.next;
        self.next += self.events;
        sample_plan(&self.stream, first, self.events, &format!("plan-{first}"))
    }
}

/// Fails if the plan was already present, since then nothing was measured.
pub(super) fn committed(appended: &Appended) -> Result<()> {
    match appended {
        Appended::Committed { .. } => Ok(()),
        Appended::AlreadyPresent { indices } => Err(Error::Wrong {
            what: "events that were there",
            expected: 0,
            found: indices.len() as u64,
        }),
    }
}
