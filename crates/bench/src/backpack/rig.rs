//! Backpacks as a flow creates them, in memory and in a journal on disk.

use std::hint::black_box;
use std::sync::Arc;

use piton_backpack::journal::{Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{Backpack, BackpackId, BackpackPorts, NodeIdentity, Options, Scope};
use piton_core::Namespace;
use piton_store::local::{SystemClock, SystemEntropy};

use crate::error::Result;
use crate::local_ports::LocalPorts;
use crate::measure::thread_cpu;
use crate::report::{Bar, MeasureRow, Unit};

const ROUNDS: usize = 31;

/// Returns the clock and the entropy of the product.
pub(super) fn ports() -> BackpackPorts {
    BackpackPorts { clock: Arc::new(SystemClock), entropy: Arc::new(SystemEntropy) }
}

/// Returns an empty backpack.
pub(super) fn empty() -> Backpack {
    let ports = ports();
    Backpack::empty(BackpackId::mint(&*ports.entropy), Options::default(), ports)
}

/// Returns a node of a backpack, in a namespace.
pub(super) fn node(backpack: &Backpack, id: &str, namespace: &str) -> Result<Scope> {
    let identity = NodeIdentity::new(id, id).map_err(piton_backpack::Error::from)?;
    let namespace = Namespace::parse(namespace).expect("namespaces are written out here");
    Ok(backpack.scope(identity.within(namespace), None)?)
}

/// Returns the node that writes, in a namespace of its own.
pub(super) fn writer(backpack: &Backpack) -> Result<Scope> {
    node(backpack, "writer", "flow.writer")
}

/// Measures the CPU time of each of `count` repetitions of `work`, in several rounds.
pub(super) fn row<R>(
    name: &'static str,
    us_max: f64,
    count: u32,
    mut work: impl FnMut(u32) -> std::result::Result<R, piton_backpack::Error>,
) -> Result<MeasureRow> {
    let mut round = || -> Result<f64> {
        let (outcome, time) =
            thread_cpu(|| (0..count).try_for_each(|number| work(number).map(black_box).map(drop)));
        outcome?;
        Ok(time.as_secs_f64() * 1e6 / f64::from(count))
    };
    // One round warms the caches and is not counted.
    round()?;
    let times = (0..ROUNDS).map(|_| round()).collect::<Result<Vec<f64>>>()?;
    let row = MeasureRow::unpaired(name, Unit::Microseconds, &times);
    Ok(row.judged(Bar::calibrated(us_max)))
}

/// Returns the ports that journaled backpacks are opened with.
pub(crate) fn journal_ports(local: &LocalPorts) -> JournalPorts {
    let blobs = Arc::new(local.blobs.clone());
    JournalPorts { journal: Arc::new(local.backpacks()), blobs, ports: ports() }
}

/// Opens a backpack whose writes wait for the disk.
pub(crate) async fn open(name: &str, ports: JournalPorts) -> Result<JournaledBackpack> {
    let id: BackpackId = name.parse().expect("names are written out in the benchmarks");
    let holder = Holder::new("piton-bench").expect("the word is short");
    let opening = JournaledBackpack::open(&id, holder, Mode::Durable, Options::default(), ports);
    Ok(opening.await?.backpack)
}
