//! A loop of one node that packs at every visit, on a backpack in a journal: each write is on disk before the next.

use std::{sync::Arc, time::Duration};

use piton_backpack::journal::JournalPorts;
use piton_flow::{Action, BoxFuture, Context, Flow, Node, NodeError, RunOptions, State};
use piton_store::local::{DataDir, RealDisk};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use super::visits::runner;
use crate::{
    backpack,
    error::{Error, Result, expect},
    place::Place,
};

/// An open data directory.
pub(super) struct Durable {
    runtime: Runtime,
    ports: JournalPorts,
}

/// Counts down in the backpack.
struct CountDown;

impl Node for CountDown {
    fn type_name(&self) -> &'static str {
        "count-down"
    }

    fn post<'a>(
        &'a self,
        context: &'a Context,
        _: &'a Value,
        _: Value,
    ) -> BoxFuture<'a, std::result::Result<Action, NodeError>> {
        Box::pin(async move {
            let left: u64 = context.unpack_required("left").await?;
            let _ = context.pack("left", &(left - 1)).await?;
            Ok(if left == 1 { Action::End } else { Action::Default })
        })
    }
}

impl Durable {
    pub(super) fn open(place: &Place) -> Result<Self> {
        let runtime = Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(Error::io("start a runtime"))?;
        let dir = DataDir::on(Arc::new(RealDisk), &place.make("durable-steps")?)?;
        Ok(Self { runtime, ports: backpack::journal_ports(&dir) })
    }

    /// The time that passes while a new flow makes so many steps.
    pub(super) fn walk(&self, name: &str, steps: u64) -> Result<Duration> {
        self.runtime.block_on(async {
            let backpack = backpack::open(name, self.ports.clone()).await?;
            let start = backpack.scope(piton_backpack::Identity::system(), None)?;
            let _ = start.pack("left", &steps).await?;
            let state = State::journaled(backpack)?;
            let mut flow = Flow::new();
            let node = flow.add("count-down", CountDown).expect("a good id");
            flow.next(node, node).expect("its first edge");
            let options = RunOptions { steps_max: steps, ..RunOptions::default() };
            let (runner, began) = (runner(), std::time::Instant::now());
            let report = runner.run(&flow, &state, options).await;
            let took = began.elapsed();
            expect("steps of the flow", steps, report.steps)?;
            Ok(took)
        })
    }
}
