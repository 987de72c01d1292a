//! Checking a backpack as the medium holds it, and making a damaged one usable again.
//!
//! *Invariants*: a check changes nothing. A repair keeps whatever it takes away, may be repeated, and says where things
//! went. The log is rolled back first; then keys whose values the store cannot give are taken out of use, by commits
//! like any other; the files of damaged values go last, so a repair that was cut off finds them again.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::Digest;
use piton_store::port::{BlobNamespace, BlobReader, Blobs};
use piton_store::{Error as StoreError, Health, TornTail};

use super::backpack::{JournalPorts, JournaledBackpack, Mode};
use super::event::Holder;
use super::replay::Replayed;
use crate::backpack_id::BackpackId;
use crate::error::Error;
use crate::node_identity::NodeIdentity;
use crate::options::Options;
use crate::text::Key;

/// What a check of a backpack found.
#[derive(Clone, Debug)]
pub struct Checked {
    /// How sound its log is.
    pub health: Health,
    /// Events before the first flaw.
    pub events: u64,
    /// Bytes at the end that no write acknowledged. They are no damage.
    pub torn_tail: Option<TornTail>,
    /// What contradicts what stands before it, if anything does.
    pub contradiction: Option<String>,
    /// Keys in use whose values the store cannot give.
    pub damaged: Vec<Key>,
    /// Damaged files of values that are in use no more.
    pub damaged_past: usize,
    /// Values that are in use no more, and are gone: they cannot be shown, and nothing else depends on them.
    pub lost_past: usize,
}

impl Checked {
    /// Whether nothing is damaged.
    pub fn is_sound(&self) -> bool {
        let Self { health, contradiction, damaged, damaged_past, .. } = self;
        health.is_healthy() && contradiction.is_none() && damaged.is_empty() && *damaged_past == 0
    }
}

/// What a repair did.
#[derive(Clone, Debug, Default)]
pub struct BackpackRepaired {
    /// The name of the directory beside the log with what was cut off, if anything was.
    pub cut_off: Option<String>,
    /// Events that the log holds now.
    pub events: u64,
    /// Events that it is known to have held and does not hold any more.
    pub lost: u64,
    /// Keys that were taken out of use.
    pub taken_out: Vec<Key>,
    /// Where damaged files are now, relative to the data directory.
    pub set_aside: Vec<String>,
}

/// Checks a backpack. If another process writes to it, what that one acknowledged is checked.
pub async fn check(ports: &JournalPorts, id: &BackpackId) -> Result<Checked, Error> {
    let stream = id.stream();
    match ports.journal.verify(stream).await {
        Ok(_) | Err(StoreError::Locked { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let salvaged = match ports.journal.load_validated_prefix(stream).await {
        // Nothing but an unfinished first write.
        Err(StoreError::NotFound { .. }) => piton_store::port::SalvagedStream {
            events: Vec::new(),
            health: Health::Healthy,
            torn_tail: None,
        },
        salvaged => salvaged?,
    };
    let referred: BTreeSet<Digest> =
        salvaged.events.iter().filter_map(super::event::BackpackEvent::blob).collect();
    let events = salvaged.events.len() as u64;
    let options = Options { max_history: 0, ..Options::default() }.clamped();
    let (in_use, contradiction) = match Replayed::whole(id, salvaged.events, &options) {
        Ok(replayed) => {
            let items = replayed.replay.state.items.values();
            let used = items.filter_map(|item| Some((item.content.digest()?, item.key.clone())));
            let mut in_use: BTreeMap<Digest, Vec<Key>> = BTreeMap::new();
            used.for_each(|(digest, key)| in_use.entry(digest).or_default().push(key));
            (in_use, None)
        }
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
    // Lifts the mark of a failed write, if what the medium holds is sound.
    ports.journal.verify(id.stream()).await?;
    let rolled_back = ports.journal.repair(id.stream()).await?;
    let events = rolled_back.next_event.get();
    let mut done = BackpackRepaired {
        cut_off: rolled_back.backup.map(|kept| kept.name),
        events,
        lost: rolled_back.lost,
        ..BackpackRepaired::default()
    };
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
            // It is the owner who asks, and the key was in use a moment ago.
            let _ = system.quarantine_without_trace(key.as_str(), reason).await?;
            done.taken_out.push(key);
        }
        backpack.close().await?;
    }
    let events = ports.journal.load(id.stream()).await?.events;
    let referred = events.iter().filter_map(super::event::BackpackEvent::blob).collect();
    for digest in check_blobs(&*ports.blobs, referred).await?.corrupt {
        done.set_aside.extend(blobs.set_aside(BlobNamespace::Backpacks, digest).await?);
    }
    Ok(done)
}
