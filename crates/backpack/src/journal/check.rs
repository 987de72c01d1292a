//! Checking a backpack on the medium, and making a damaged one usable again.
//!
//! *Invariants*: a check changes nothing. A repair keeps everything that it removes, may be repeated, and reports where
//! things went. It rolls back the log first. Then it takes keys out of use whose values the store cannot return, with
//! ordinary commits. It sets the files of damaged values aside last, so that a repair that was cut off finds them
//! again.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::Digest;
use piton_store::port::{BlobNamespace, BlobReader, Blobs};
use piton_store::{Error as StoreError, Health, TornTail};

use super::backpack::{JournalPorts, JournaledBackpack, Mode};
use super::event::Holder;
use super::replay::Replayed;
use crate::backpack::Options;
use crate::error::Error;
use crate::names::{BackpackId, Key, NodeIdentity};

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The condition of the log.
    pub health: Health,
    /// Number of events before the first flaw.
    pub events: u64,
    /// Bytes at the end that no write acknowledged. They are not damage.
    pub torn_tail: Option<TornTail>,
    /// The first event that contradicts those before it, if there is one.
    pub contradiction: Option<String>,
    /// Keys in use whose values the store cannot return.
    pub damaged: Vec<Key>,
    /// Number of damaged files with values that are no longer in use.
    pub damaged_past: usize,
    /// Number of missing values that are no longer in use. They cannot be shown, and nothing else depends on them.
    pub lost_past: usize,
}

impl Checked {
    /// True if nothing is damaged.
    pub fn is_sound(&self) -> bool {
        let Self { health, contradiction, damaged, damaged_past, .. } = self;
        health.is_healthy() && contradiction.is_none() && damaged.is_empty() && *damaged_past == 0
    }
}

/// The result of a repair.
#[derive(Clone, Debug, Default)]
pub struct BackpackRepaired {
    /// The name of the directory beside the log that keeps what was cut off, if anything was.
    pub cut_off: Option<String>,
    /// Number of events in the log now.
    pub events: u64,
    /// Number of events that the log is known to have held and no longer holds.
    pub lost: u64,
    /// Keys that were taken out of use.
    pub taken_out: Vec<Key>,
    /// Paths of the damaged files that were set aside, relative to the data directory.
    pub set_aside: Vec<String>,
}

/// Checks a backpack. If another process is writing to it, the check covers what that process has acknowledged.
pub async fn check(ports: &JournalPorts, id: &BackpackId) -> Result<Checked, Error> {
    let stream = id.stream();
    match ports.journal.verify(stream).await {
        // Another process has the lease. What it has acknowledged can be checked all the same.
        Ok(_) | Err(StoreError::Locked { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let salvaged = match ports.journal.load_validated_prefix(stream).await {
        // The stream holds nothing but an unfinished first write.
        Err(StoreError::NotFound { .. }) => piton_store::port::SalvagedStream {
            events: Vec::new(),
            health: Health::Healthy,
            torn_tail: None,
        },
        salvaged => salvaged?,
    };
    // Every blob that any event refers to is checked, not only those in use: the past can be damaged too.
    let referred: BTreeSet<Digest> =
        salvaged.events.iter().filter_map(super::event::BackpackEvent::blob).collect();
    let events = salvaged.events.len() as u64;
    // Only the final state matters here, so keep as little history as the options allow.
    let options = Options { max_history: 0, ..Options::default() }.clamped();
    let (in_use, contradiction) = match Replayed::whole(id, salvaged.events, &options) {
        Ok(replayed) => {
            let items = replayed.replay.state.items.values();
            let used = items.filter_map(|item| Some((item.content.digest()?, item.key.clone())));
            let mut in_use: BTreeMap<Digest, Vec<Key>> = BTreeMap::new();
            used.for_each(|(digest, key)| in_use.entry(digest).or_default().push(key));
            (in_use, None)
        }
        // Without a consistent replay it is unknown which values are in use; all damaged ones count as past.
        Err(error) => (BTreeMap::new(), Some(error.to_string())),
    };
    let UnusableBlobs { corrupt, missing } = check_blobs(&*ports.blobs, referred).await?;
    let is_past = |digest: &&Digest| !in_use.contains_key(*digest);
    let unreadable = corrupt.iter().chain(&missing).filter_map(|digest| in_use.get(digest));
    Ok(Checked {
        health: salvaged.health,
        events,
        torn_tail: salvaged.torn_tail,
        contradiction,
        damaged: unreadable.flatten().cloned().collect(),
        damaged_past: corrupt.iter().filter(is_past).count(),
        lost_past: missing.iter().filter(is_past).count(),
    })
}

/// Blobs that cannot be used.
struct UnusableBlobs {
    corrupt: BTreeSet<Digest>,
    missing: BTreeSet<Digest>,
}

async fn check_blobs(
    blobs: &dyn BlobReader,
    digests: BTreeSet<Digest>,
) -> Result<UnusableBlobs, Error> {
    let mut found = UnusableBlobs { corrupt: BTreeSet::new(), missing: BTreeSet::new() };
    for digest in digests {
        match blobs.get(BlobNamespace::Backpacks, digest).await {
            Ok(Some(_)) => {}
            // A missing blob has no file to set aside; a corrupt one does.
            Ok(None) => {
                found.missing.insert(digest);
            }
            Err(StoreError::BlobCorrupt { .. }) => {
                found.corrupt.insert(digest);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

/// Makes a damaged backpack usable again: its log ends before the first flaw, and every key in use has its value.
pub async fn repair(
    ports: &JournalPorts,
    blobs: &dyn Blobs,
    id: &BackpackId,
    holder: Holder,
) -> Result<BackpackRepaired, Error> {
    // Clears the mark of a failed write, if the medium turns out to be sound.
    ports.journal.verify(id.stream()).await?;
    let rolled_back = ports.journal.repair(id.stream()).await?;
    let events = rolled_back.next_event.get();
    let mut done = BackpackRepaired {
        cut_off: rolled_back.backup.map(|kept| kept.name),
        events,
        lost: rolled_back.lost,
        ..BackpackRepaired::default()
    };
    // Nothing is left of the stream, so no key can be in use.
    if events == 0 {
        return Ok(done);
    }
    let checked = check(ports, id).await?;
    if !checked.damaged.is_empty() {
        let opened =
            JournaledBackpack::open(id, holder, Mode::Durable, Options::default(), ports.clone());
        let backpack = opened.await?.backpack;
        let system = backpack.scope(NodeIdentity::system(), None)?;
        for key in checked.damaged {
            let reason =
                "its value is damaged: the store has something else in its place, or nothing";
            // The owner is unrestricted, and the key was in use a moment ago, so this is neither refused nor missing.
            let _ = system.quarantine_without_trace(&key, reason)?;
            done.taken_out.push(key);
        }
        backpack.close().await?;
    }
    // Last, once no key in use refers to them: a repair that is cut off before finds the files again.
    let events = ports.journal.load(id.stream()).await?.events;
    let referred = events.iter().filter_map(super::event::BackpackEvent::blob).collect();
    for digest in check_blobs(&*ports.blobs, referred).await?.corrupt {
        done.set_aside.extend(blobs.set_aside(BlobNamespace::Backpacks, digest).await?);
    }
    Ok(done)
}
