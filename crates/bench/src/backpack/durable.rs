//! Durable packs: one writer against the bare append, and eight writers against one.

use std::sync::Arc;
use std::time::Duration;

use piton_backpack::journal::{JournalPorts, JournaledBackpack};
use piton_backpack::{NodeIdentity, Scope, WriteOutcome};
use piton_store::StreamId;
use piton_store::local::{LogJournal, RealDisk};
use piton_store::port::{Journal, StreamLease};
use piton_store::testing::{Sample, sample_plan};
use tokio::runtime::Runtime;

use super::rig::{journal_ports, open};
use crate::bench_dir::BenchDir;
use crate::error::Result;
use crate::local_ports::{LocalPorts, runtime};
use crate::measure::{Samples, Schedule, wall_time};
use crate::report::{Bar, MeasureRow, Unit};

const SINGLE: Schedule = Schedule { blocks: 30, pairs: 12, warm_up: 2 };
const GROUPS: Schedule = Schedule { blocks: 20, pairs: 4, warm_up: 1 };
const WRITERS: usize = 8;
/// Number of packs that each writer makes in one sample.
const PACKS: usize = 10;
const SINGLE_RATIO_MAX: f64 = 1.3;
/// Eight writers make eight times as many packs, and have to reach three times the rate.
const GROUP_RATIO_MAX: f64 = 8.0 / 3.0;

// shows: BP-112
pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let rig = BackpackRig::open(bench_dir)?;
    bench_dir.sync()?;
    let row = |name, baseline, samples: &_| {
        MeasureRow::timed(name, Unit::Milliseconds, baseline, samples)
    };
    Ok(vec![
        row("durable pack, one writer", "journal append", &rig.single()?)
            .judged(Bar::disk_ratio(SINGLE_RATIO_MAX)),
        row("10 packs each of 8 writers", "of one", &rig.groups()?)
            .judged(Bar::disk_ratio(GROUP_RATIO_MAX)),
    ])
}

/// An open data directory.
struct BackpackRig {
    runtime: Runtime,
    backpacks: JournalPorts,
    bare: LogJournal<Sample>,
}

impl BackpackRig {
    fn open(bench_dir: &BenchDir) -> Result<Self> {
        let ports = LocalPorts::open(Arc::new(RealDisk), &bench_dir.make("durable-packs")?)?;
        let (backpacks, bare) = (journal_ports(&ports), ports.backpacks());
        Ok(Self { runtime: runtime()?, backpacks, bare })
    }

    fn backpack(&self, name: &str) -> Result<JournaledBackpack> {
        self.runtime.block_on(open(name, self.backpacks.clone()))
    }

    /// Measures one pack against one append of one event.
    fn single(&self) -> Result<Samples<Duration>> {
        SINGLE.run(|block| {
            let backpack = self.backpack(&format!("single-{block}"))?;
            let writer = writer(&backpack, 0)?;
            let ours = move || {
                let (outcome, time) = wall_time(|| self.runtime.block_on(durable_pack(&writer)));
                outcome?.done().expect("nobody refuses it");
                Ok(time)
            };
            let stream: StreamId = format!("bare-{block}").parse().expect("a plain name");
            // The lease is taken before the samples, as the open backpack has taken its own.
            let lease = self.runtime.block_on(self.bare.lease(&stream))?;
            let mut next = 0;
            let baseline = move || {
                next += 1;
                self.append(&stream, &lease, next - 1)
            };
            Ok((ours, baseline))
        })
    }

    fn append(&self, stream: &StreamId, lease: &StreamLease, index: u64) -> Result<Duration> {
        let plan = sample_plan(stream, index, 1, &format!("plan-{index}"));
        let (outcome, time) = wall_time(|| {
            self.runtime.block_on(async { self.bare.append(&lease.writer(), plan).await })
        });
        outcome?;
        Ok(time)
    }

    /// Measures eight writers of one backpack against one.
    fn groups(&self) -> Result<Samples<Duration>> {
        GROUPS.run(|block| {
            let together = self.backpack(&format!("together-{block}"))?;
            let alone = self.backpack(&format!("alone-{block}"))?;
            Ok((move || self.packs(&together, WRITERS), move || self.packs(&alone, 1)))
        })
    }

    fn packs(&self, backpack: &JournaledBackpack, writers: usize) -> Result<Duration> {
        let scopes: Vec<Scope> =
            (0..writers).map(|number| writer(backpack, number)).collect::<Result<_>>()?;
        let (outcome, time) = wall_time(|| {
            self.runtime.block_on(async {
                // All writers are spawned before the first is awaited, so that their packs can share syncs.
                let tasks: Vec<_> = scopes
                    .into_iter()
                    .map(|scope| {
                        tokio::spawn(async move {
                            for _ in 0..PACKS {
                                let _ = durable_pack(&scope).await?;
                            }
                            Ok::<(), piton_backpack::Error>(())
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.expect("a pack does not panic")?;
                }
                Ok::<(), piton_backpack::Error>(())
            })
        });
        outcome?;
        Ok(time)
    }
}

async fn durable_pack(scope: &Scope) -> std::result::Result<WriteOutcome, piton_backpack::Error> {
    scope.saved(scope.pack("key", &"a small value of about fifty bytes, as nodes have them")?).await
}

fn writer(backpack: &JournaledBackpack, number: usize) -> Result<Scope> {
    let name = format!("writer-{number}");
    let identity = NodeIdentity::new(&name, &name).map_err(piton_backpack::Error::from)?;
    Ok(backpack.scope(identity, None)?)
}
