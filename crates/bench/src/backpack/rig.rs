//! Backpacks as a flow creates them.

use std::sync::Arc;
use std::time::Duration;

use piton_backpack::{Backpack, BackpackId, BackpackPorts, NodeIdentity, Options, Scope};
use piton_core::Namespace;
use piton_store::local::{SystemClock, SystemEntropy};

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
