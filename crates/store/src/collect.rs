//! Garbage collection: mark the blobs that something refers to, sweep the others.
//!
//! Works over the ports alone. Marking takes no lease. Sweeping takes the collection lease for at most [`SWEEP_BATCH`]
//! at a time. While it is held, no writer is between its first blob and the end of its append. So re-reading the roots
//! that were added since the mark shows everything that such a writer could have referred to.
//!
//! Invariants:
//! - A namespace is swept only if its owner registered roots and all of them are valid.
//! - A blob younger than [`SWEEP_AGE_MIN`] is never removed.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use piton_core::port::Clock;
use piton_core::{Digest, Envelope};

use crate::bounds::{SWEEP_AGE_MIN, SWEEP_BATCH, SWEEP_PAGE, SWEEP_STRIDE, SWEEP_WAIT};
use crate::port::{BlobNamespace, Blobs, Lease, Leases, Mode, Patience, Roots, RootsCursor};
use crate::{Error, LeaseName};

/// Returns the name of the lease that writers share and a sweep holds exclusively.
pub fn lease_name() -> LeaseName {
    "collection".parse().expect("a plain word is a name")
}

/// Refuses to remove blobs under any other lease.
pub(crate) fn check_lease(lease: &Lease) -> Result<(), Error> {
    if *lease.name() == lease_name() && lease.mode() == Mode::Exclusive {
        return Ok(());
    }
    Err(Error::BadRequest {
        problem: "blobs are removed under the exclusive collection lease only",
    })
}

/// Outcome of a collection for one namespace.
#[derive(Debug, Clone, PartialEq)]
pub enum SweepReport {
    Done(SweepCounts),
    /// Nothing was removed, because the roots could not be read completely.
    Spared {
        /// The error from reading the roots.
        because: Envelope,
    },
}

/// Counts of a finished sweep.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SweepCounts {
    /// Number of blobs that something refers to.
    pub kept: u64,
    /// Number of blobs that nothing refers to, but that are too young to remove.
    pub young: u64,
    /// Number of blobs that were removed, or that would be.
    pub removed: u64,
    pub removed_bytes: u64,
    /// Number of times that writers were kept out.
    pub batches: u64,
    /// Longest time for which writers were kept out.
    pub longest_batch: Duration,
}

/// Choice between a dry run and a real collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollectMode {
    /// Only reports what would be removed.
    Rehearse,
    Remove,
}

/// Collects every namespace that `sources` speak for; the others are not touched.
pub async fn collect(
    blobs: &dyn Blobs,
    leases: &dyn Leases,
    sources: &[&dyn Roots],
    clock: &dyn Clock,
    intent: CollectMode,
) -> Result<BTreeMap<BlobNamespace, SweepReport>, Error> {
    let mut report = BTreeMap::new();
    for namespace in sources.iter().map(|source| source.namespace()) {
        if report.contains_key(&namespace) {
            continue;
        }
        // All sources of a namespace are marked together: what one of them does not refer to, another may.
        let own: Vec<&dyn Roots> =
            sources.iter().copied().filter(|source| source.namespace() == namespace).collect();
        let sweep = Sweep { blobs, leases, clock, namespace, marked: HashSet::new() };
        report.insert(namespace, sweep.run(&own, intent).await?);
    }
    Ok(report)
}

struct Sweep<'a> {
    blobs: &'a dyn Blobs,
    leases: &'a dyn Leases,
    clock: &'a dyn Clock,
    namespace: BlobNamespace,
    marked: HashSet<Digest>,
}

/// Outcome of one batch of a sweep.
enum BatchOutcome {
    /// Number of candidates that were looked at.
    Examined(usize),
    RootsUnreadable(Error),
}

impl Sweep<'_> {
    /// Marks what the sources refer to, as far as it is new since `cursors`.
    async fn mark(
        &mut self,
        sources: &[&dyn Roots],
        cursors: &mut [Option<RootsCursor>],
    ) -> Result<(), Error> {
        for (source, cursor) in sources.iter().zip(cursors) {
            let (roots, next) = source.roots(cursor.as_ref()).await?;
            self.marked.extend(roots);
            *cursor = Some(next);
        }
        Ok(())
    }

    async fn run(
        mut self,
        sources: &[&dyn Roots],
        intent: CollectMode,
    ) -> Result<SweepReport, Error> {
        let mut cursors = vec![None; sources.len()];
        // A root that cannot be read could refer to any blob, so the whole namespace is spared.
        if let Err(error) = self.mark(sources, &mut cursors).await {
            return Ok(SweepReport::Spared { because: error.envelope() });
        }
        let mut tally = SweepCounts::default();
        let mut after = None;
        loop {
            // Listed without the lease. A blob that is stored behind the listing's back is young, so missing it does no
            // harm.
            let page = self.blobs.list(self.namespace, after, SWEEP_PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.digest);
            let mut candidates = Vec::new();
            for entry in &page {
                if self.marked.contains(&entry.digest) {
                    tally.kept += 1;
                } else if entry.age < SWEEP_AGE_MIN {
                    tally.young += 1;
                } else if intent == CollectMode::Rehearse {
                    tally.removed += 1;
                    tally.removed_bytes += entry.bytes;
                } else {
                    // Only a candidate: it is checked again under the lease before it is removed.
                    candidates.push(entry.digest);
                }
            }
            let mut rest = candidates.as_slice();
            while !rest.is_empty() {
                match self.batch(rest, sources, &mut cursors, &mut tally).await? {
                    BatchOutcome::Examined(count) => rest = &rest[count..],
                    // Roots that can no longer be read end the sweep. What is gone already was unmarked.
                    BatchOutcome::RootsUnreadable(error) => {
                        return Ok(SweepReport::Spared { because: error.envelope() });
                    }
                }
            }
        }
        if intent == CollectMode::Remove {
            self.blobs.tidy(self.namespace).await?;
        }
        Ok(SweepReport::Done(tally))
    }

    /// Removes as many of `candidates` as fit in one batch.
    async fn batch(
        &mut self,
        candidates: &[Digest],
        sources: &[&dyn Roots],
        cursors: &mut [Option<RootsCursor>],
        tally: &mut SweepCounts,
    ) -> Result<BatchOutcome, Error> {
        let name = lease_name();
        // Read ahead, so that little is left to read while writers wait.
        if let Err(error) = self.mark(sources, cursors).await {
            return Ok(BatchOutcome::RootsUnreadable(error));
        }
        let lease = self.leases.acquire(&name, Mode::Exclusive, Patience::Wait(SWEEP_WAIT)).await?;
        let started = self.clock.monotonic();
        // Now no writer is in the middle of an append: a blob that is still unmarked after this is referred to by
        // nothing.
        if let Err(error) = self.mark(sources, cursors).await {
            return Ok(BatchOutcome::RootsUnreadable(error));
        }
        let mut done = 0;
        for stride in candidates.chunks(SWEEP_STRIDE) {
            let unmarked: Vec<Digest> =
                stride.iter().copied().filter(|digest| !self.marked.contains(digest)).collect();
            // The store checks the age again: a writer that is about to refer to an old blob has touched it.
            let removed =
                self.blobs.remove(self.namespace, &unmarked, SWEEP_AGE_MIN, &lease).await?;
            tally.kept += (stride.len() - unmarked.len()) as u64;
            tally.young += (unmarked.len() - removed.len()) as u64;
            tally.removed += removed.len() as u64;
            tally.removed_bytes += removed.iter().map(|entry| entry.bytes).sum::<u64>();
            done += stride.len();
            // Half of the time, because one more stride takes time too.
            if self.clock.monotonic().saturating_sub(started) >= SWEEP_BATCH / 2 {
                break;
            }
        }
        let held = self.clock.monotonic().saturating_sub(started);
        drop(lease);
        tally.batches += 1;
        tally.longest_batch = tally.longest_batch.max(held);
        Ok(BatchOutcome::Examined(done))
    }
}
