//! The store as the product opens it, driven from a thread that is not async.

use std::{path::Path, sync::Arc};

use piton_core::port::{NoTrace, Trace};
use piton_store::{
    AppendPlan, StreamId,
    local::{
        DataDir, LocalBlobs, LocalLeases, LogJournal, SegmentedJournal, SystemClock, disk::Disk,
    },
    port::{Appended, Journal},
    testing::{Sample, sample_plan},
};
use tokio::runtime::{Builder, Runtime};

use crate::error::{Error, Result};

/// The events of one plan, as a step of a workflow has them.
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
    /// Opens a data directory that exists.
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

    /// Appends a plan to a session as a request does: takes the lease, appends, frees it.
    pub(super) fn lease_and_append(
        &self,
        stream: &StreamId,
        plan: AppendPlan<Sample>,
    ) -> Result<()> {
        self.wait(async {
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
    /// Plans of so many events each.
    pub(super) fn new(name: &str, events: u64) -> Self {
        Self {
            stream: name.parse().expect("names are written out in the benchmarks"),
            events,
            next: 0,
        }
    }

    /// The next plan. From two events on, it brings a snapshot along.
    pub(super) fn next(&mut self) -> AppendPlan<Sample> {
        let first = self.next;
        self.next += self.events;
        sample_plan(&self.stream, first, self.events, &format!("plan-{first}"))
    }
}

/// Fails if the plan was there already: then nothing was measured.
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
