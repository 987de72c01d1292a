//! A loop of one node that packs at every visit, on a journaled backpack: each write is on disk before the next.

use std::sync::Arc;
use std::time::Duration;

use piton_backpack::journal::JournalPorts;
use piton_flow::FlowState;
use piton_store::local::{DataDir, RealDisk};
use tokio::runtime::{Builder, Runtime};

use super::round::{Round, next_action};
use crate::backpack;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};

/// An open data directory.
pub(super) struct Durable {
    runtime: Runtime,
    ports: JournalPorts,
}

/// Returns a loop that counts down in the backpack.
fn count_down(steps: u64) -> Round {
    Round::new(steps, |context| {
        Box::pin(async move {
            let left = context.unpack_required::<u64>("left").await? - 1;
            context.pack("left", &left).await?;
            Ok(next_action(left))
        })
    })
}

impl Durable {
    pub(super) fn open(bench_dir: &BenchDir) -> Result<Self> {
        let runtime = Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(Error::io("start a runtime"))?;
        let dir = DataDir::on(Arc::new(RealDisk), &bench_dir.make("durable-steps")?)?;
        Ok(Self { runtime, ports: backpack::journal_ports(&dir) })
    }

    /// Measures the wall time in which a new flow makes this number of steps.
    pub(super) fn walk(&self, name: &str, steps: u64) -> Result<Duration> {
        self.runtime.block_on(async {
            let backpack = backpack::open(name, self.ports.clone()).await?;
            let start = backpack.scope(piton_backpack::NodeIdentity::system(), None)?;
            let _ = start.pack("left", &steps).await?;
            let state = FlowState::journaled(backpack)?;
            // Opening the backpack and building the flow are not part of the time.
            let (round, began) = (count_down(steps), std::time::Instant::now());
            let made = round.run(&state).await;
            let took = began.elapsed();
            expect("steps of the flow", steps, made)?;
            Ok(took)
        })
    }
}
