//! The store as the product opens it, driven from a synchronous thread.

use std::path::Path;
use std::sync::Arc;

use piton_core::port::{NoTrace, Trace};
use piton_store::local::disk::Disk;
use piton_store::local::{
    DataDir, LocalBlobs, LocalLeases, LogJournal, SegmentedJournal, SystemClock,
};
use piton_store::port::{Appended, Journal};
use piton_store::testing::{Sample, sample_plan};
use piton_store::{AppendPlan, StreamId};
use tokio::runtime::{Builder, Runtime};

use crate::error::{Error, Result};

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
        let dir = DataDir::on(disk, root)?;
        let trace: Arc<dyn Trace> = Arc::new(NoTrace);
        let blobs = LocalBlobs::new(dir.clone());
        let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::clone(&trace));
        let sessions = SegmentedJournal::sessions(
            dir.clone(),
            blobs.clone(),
            leases.clone(),
            Arc::clone(&trace),
        );
        let backpacks = LogJournal::backpacks(dir.clone(), blobs.clone(), leases, trace);
        Ok(Self { runtime, dir, blobs, sessions, backpacks })
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
