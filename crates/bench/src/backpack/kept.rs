//! Backpacks in a journal on disk.

use std::sync::Arc;

use piton_backpack::journal::{Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{BackpackId, Options};
use piton_core::port::{NoTrace, Trace};
use piton_store::Event;
use piton_store::local::{DataDir, LocalBlobs, LocalLeases, LogJournal, SystemClock};

use super::rig::ports;
use crate::error::Result;

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
