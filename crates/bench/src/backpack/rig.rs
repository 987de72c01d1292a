//! Backpacks as a flow creates them, in memory and in a journal on disk.

use std::sync::Arc;
use std::time::Duration;

use piton_backpack::journal::{Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{Backpack, BackpackId, BackpackPorts, NodeIdentity, Options, Scope};
use piton_core::Namespace;
use piton_core::port::{NoTrace, Trace};
use piton_store::Event;
use piton_store::local::{
    DataDir, LocalBlobs, LocalLeases, LogJournal, SystemClock, SystemEntropy,
};

use crate::error::Result;
use crate::measure::thread_cpu;

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

/// Measures the CPU time of one of `count` repetitions of `work`, in microseconds.
pub(super) fn each_us<R>(
    count: u32,
    mut work: impl FnMut(u32) -> std::result::Result<R, piton_backpack::Error>,
) -> Result<f64> {
    let (outcome, time) = thread_cpu(|| {
        for number in 0..count {
            std::hint::black_box(work(number)?);
        }
        Ok::<(), piton_backpack::Error>(())
    });
    outcome?;
    Ok(microseconds(time) / f64::from(count))
}

pub(super) fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Returns a journal for the streams of backpacks.
pub(super) fn log<E: Event>(dir: &DataDir) -> LogJournal<E> {
    let trace: Arc<dyn Trace> = Arc::new(NoTrace);
    let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::clone(&trace));
    LogJournal::backpacks(dir.clone(), LocalBlobs::new(dir.clone()), leases, trace)
}

/// Returns the ports that journaled backpacks are opened with.
pub(crate) fn journal_ports(dir: &DataDir) -> JournalPorts {
    let blobs = Arc::new(LocalBlobs::new(dir.clone()));
    JournalPorts { journal: Arc::new(log(dir)), blobs, ports: ports() }
}

/// Opens a backpack whose writes wait for the disk.
pub(crate) async fn open(name: &str, ports: JournalPorts) -> Result<JournaledBackpack> {
    let id: BackpackId = name.parse().expect("names are written out in the benchmarks");
    let holder = Holder::new("piton-bench").expect("the word is short");
    let opening = JournaledBackpack::open(&id, holder, Mode::Durable, Options::default(), ports);
    Ok(opening.await?.backpack)
}
