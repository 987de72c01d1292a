//! The stored form of items and commits, in the JSON form of a backpack and in its journal: the records, their replay,
//! and their size.
//!
//! *Invariants*: a record contains only what a commit brought in. Everything that follows from earlier records comes
//! from replaying them: versions, previous values and the items that were read. A replay that does not fit is an error,
//! never a guess.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_core::{Digest, Provenance, TimestampMs};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::access::permissions::Operation;
use crate::backpack::Options;
use crate::bounds::RECORD_BYTES;
use crate::history::commit::{Act, Commit, Restored};
use crate::history::commit_id::CommitId;
use crate::history::commits::History;
use crate::names::{Key, NodeId, NodeIdentity};
use crate::state::item::{Item, ItemContent, Large, Quarantined, Reason};
use crate::state::item_state::ItemState;
use crate::state::labels::Labels;

/// A commit as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CommitRecord {
    pub(crate) commit: CommitId,
    pub(crate) timestamp_ms: TimestampMs,
    pub(crate) by: NodeIdentity,
    pub(crate) key: Key,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) provenance: Option<Provenance>,
    pub(crate) act: ActRecord,
}

/// The stored form of an act.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "action",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub(crate) enum ActRecord {
    Pack {
        value: ValueRecord,
        #[serde(default, skip_serializing_if = "Labels::is_empty")]
        labels: Labels,
    },
    Unpack {
        found: bool,
    },
    Delete {},
    Quarantine {
        reason: Reason,
        /// Set when the trace keeps the value.
        kept: bool,
        /// A value that was never in use.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<ValueRecord>,
    },
    Deny {
        operation: Operation,
    },
    Restore {
        /// The item that the key holds again, or nothing if the key was absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<Box<ItemRecord>>,
        /// The last commit that still stands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<CommitId>,
    },
}

impl CommitRecord {
    /// Returns the value that the commit brought in.
    pub(crate) fn value(&self) -> Option<&ValueRecord> {
        match &self.act {
            ActRecord::Pack { value, .. } => Some(value),
            ActRecord::Quarantine { value, .. } => value.as_ref(),
            ActRecord::Restore { item, .. } => item.as_ref().map(|item| &item.value),
            ActRecord::Unpack { .. } | ActRecord::Delete {} | ActRecord::Deny { .. } => None,
        }
    }

    /// True if the commit changed the state.
    pub(crate) fn is_change(&self) -> bool {
        !matches!(self.act, ActRecord::Unpack { .. } | ActRecord::Deny { .. })
    }

    pub(crate) fn of(commit: &Commit) -> Self {
        let act = match &commit.act {
            Act::Pack { after, .. } => ActRecord::Pack {
                value: ValueRecord::of(&after.content),
                labels: after.labels().clone(),
            },
            Act::Unpack { read } => ActRecord::Unpack { found: read.is_some() },
            Act::Delete { .. } => ActRecord::Delete {},
            Act::Quarantine { entry, was_active } => ActRecord::Quarantine {
                reason: entry.reason.clone(),
                kept: entry.item.is_some(),
                value: entry
                    .item
                    .as_ref()
                    .filter(|_| !was_active)
                    .map(|item| ValueRecord::of(&item.content)),
            },
            Act::Deny { operation } => ActRecord::Deny { operation: *operation },
            Act::Restore(restored) => ActRecord::Restore {
                item: restored.after.as_ref().map(|item| Box::new(ItemRecord::of(item))),
                since: restored.since,
            },
        };
        Self {
            commit: commit.id,
            timestamp_ms: commit.timestamp,
            by: (*commit.author).clone(),
            key: commit.key.clone(),
            provenance: commit.provenance.as_deref().cloned(),
            act,
        }
    }
}

/// An item as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ItemRecord {
    pub(crate) key: Key,
    pub(crate) value: ValueRecord,
    pub(crate) source: NodeIdentity,
    pub(crate) timestamp_ms: TimestampMs,
    pub(crate) version: u64,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub(crate) labels: Labels,
}

impl ItemRecord {
    pub(crate) fn of(item: &Item) -> Self {
        Self {
            key: item.key.clone(),
            value: ValueRecord::of(&item.content),
            source: (*item.source).clone(),
            timestamp_ms: item.timestamp,
            version: item.version,
            labels: item.labels().clone(),
        }
    }

    pub(crate) fn item(self) -> Result<Item, Contradiction> {
        let stamp = (self.timestamp_ms, self.version);
        item_of((self.key, &self.value), Arc::new(self.source), stamp, self.labels)
    }
}

fn item_of(
    (key, value): (Key, &ValueRecord),
    source: Arc<NodeIdentity>,
    (timestamp, version): (TimestampMs, u64),
    labels: Labels,
) -> Result<Item, Contradiction> {
    labels.check().map_err(|_| Contradiction::Labels)?;
    let content = value.content().map_err(|_| Contradiction::Value)?;
    let labels = (!labels.is_empty()).then(|| Arc::new(labels));
    Ok(Item { key, content, source, timestamp, version, labels })
}

/// A quarantined entry as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct QuarantinedRecord {
    pub(crate) key: Key,
    pub(crate) commit: CommitId,
    pub(crate) timestamp_ms: TimestampMs,
    pub(crate) by: NodeIdentity,
    pub(crate) reason: Reason,
    pub(crate) size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) item: Option<ItemRecord>,
}

impl QuarantinedRecord {
    pub(crate) fn of(entry: &Quarantined) -> Self {
        Self {
            key: entry.key.clone(),
            commit: entry.commit,
            timestamp_ms: entry.timestamp,
            by: (*entry.by).clone(),
            reason: entry.reason.clone(),
            size: entry.size,
            item: entry.item.as_deref().map(ItemRecord::of),
        }
    }

    pub(crate) fn entry(self) -> Result<Quarantined, Contradiction> {
        Ok(Quarantined {
            key: self.key,
            commit: self.commit,
            timestamp: self.timestamp_ms,
            by: Arc::new(self.by),
            reason: self.reason,
            size: self.size,
            item: self.item.map(ItemRecord::item).transpose()?.map(Arc::new),
        })
    }
}

/// A value as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(crate) enum ValueRecord {
    Json(Value),
    /// A value that is too large for the history.
    Large {
        /// Size in bytes of canonical JSON.
        size: u64,
        /// The digest of its blob, if there is a journal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<Digest>,
    },
}

impl ValueRecord {
    /// Builds the record of a value that is in memory.
    pub(crate) fn of_text(text: &str) -> Self {
        Self::Json(serde_json::from_str(text).expect("what a backpack holds is canonical JSON"))
    }

    pub(crate) fn of(content: &ItemContent) -> Self {
        match content {
            ItemContent::Held(text) => Self::of_text(text),
            ItemContent::Large(large) | ItemContent::Damaged(large) => {
                Self::Large { size: large.size, digest: large.digest }
            }
        }
    }

    /// Returns the content for an item. Fails if the value has no canonical form.
    pub(crate) fn content(&self) -> Result<ItemContent, piton_core::CanonicalError> {
        Ok(match self {
            Self::Json(value) => {
                ItemContent::Held(piton_core::canonical::encode(value)?.as_str().into())
            }
            Self::Large { size, digest } => {
                ItemContent::Large(Arc::new(Large { size: *size, digest: *digest }))
            }
        })
    }
}

/// Contradictions in a sequence of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Contradiction {
    #[error("its number does not follow the one before it")]
    Number,
    #[error("its time lies before that of the one before it")]
    Time,
    #[error("it needs an item that is not there")]
    NoItem,
    #[error("it says that it found an item, or none, and the commits before it say otherwise")]
    Found,
    #[error("its value has no canonical form")]
    Value,
    #[error("it has too many tags or nodes in an access list")]
    Labels,
    #[error("it does not say what became of the value")]
    Quarantine,
}

/// A state and the history that led to it, while records are added.
pub(crate) struct Replay {
    pub(crate) state: ItemState,
    pub(crate) history: History,
    /// One shared copy of every node that acted.
    authors: BTreeMap<NodeId, Arc<NodeIdentity>>,
}

impl Replay {
    /// Continues from a state.
    pub(crate) fn new(state: ItemState, history: History) -> Self {
        Self { state, history, authors: BTreeMap::new() }
    }

    /// Replays a record and returns its commit.
    pub(crate) fn add(
        &mut self,
        record: CommitRecord,
        options: &Options,
    ) -> Result<Commit, Contradiction> {
        let CommitRecord { commit: id, timestamp_ms: timestamp, by, key, provenance, act } = record;
        // Numbers are consecutive and times never go back; anything else means a lost or foreign record.
        if id.number() != self.history.next_number() {
            return Err(Contradiction::Number);
        }
        if self.history.timestamp(timestamp) != timestamp {
            return Err(Contradiction::Time);
        }
        let author = self.author(by);
        // The item that the record acts on is not stored; it is what the replay holds at this point.
        let held = self.state.items.get(&key).cloned();
        let item = |value: &ValueRecord, version, labels: Labels| {
            let (key, source) = (key.clone(), Arc::clone(&author));
            item_of((key, value), source, (timestamp, version), labels).map(Arc::new)
        };
        let act = match act {
            ActRecord::Pack { value, labels } => {
                let version = held.as_ref().map_or(0, |item| item.version) + 1;
                Act::Pack { after: item(&value, version, labels)?, before: held }
            }
            ActRecord::Unpack { found } if found == held.is_some() => Act::Unpack { read: held },
            ActRecord::Unpack { .. } => return Err(Contradiction::Found),
            ActRecord::Delete {} => Act::Delete { before: held.ok_or(Contradiction::NoItem)? },
            ActRecord::Deny { operation } => Act::Deny { operation },
            ActRecord::Restore { item, since } => {
                let after = item.map(|item| item.item()).transpose()?.map(Arc::new);
                // Either the restored item or the one it replaces must exist, and must belong to this key.
                if after.as_ref().or(held.as_ref()).is_none_or(|item| item.key != key) {
                    return Err(Contradiction::NoItem);
                }
                Act::Restore(Box::new(Restored { before: held, after, since }))
            }
            ActRecord::Quarantine { reason, kept, value } => {
                let was_active = value.is_none();
                let item = match value {
                    // A value that was never in use exists only in the trace, so it must be kept there.
                    Some(_) if !kept => return Err(Contradiction::Quarantine),
                    Some(value) => item(&value, 0, Labels::default())?,
                    None => held.ok_or(Contradiction::NoItem)?,
                };
                let entry = entry((id, timestamp), &author, reason, kept, item);
                Act::Quarantine { entry: Arc::new(entry), was_active }
            }
        };
        let provenance = provenance.map(Arc::new);
        let commit = Commit { id, timestamp, author, key, provenance, act };
        self.state.apply(&commit);
        // The event of this pruning was already sent when the commits first left memory.
        let _ = self.history.push(commit.clone(), &self.state, options);
        Ok(commit)
    }

    fn author(&mut self, by: NodeIdentity) -> Arc<NodeIdentity> {
        // Identities repeat in every record; sharing them keeps a long history small.
        match self.authors.get(&by.id) {
            Some(known) if **known == by => Arc::clone(known),
            _ => {
                let author = Arc::new(by);
                self.authors.insert(author.id.clone(), Arc::clone(&author));
                author
            }
        }
    }
}

fn entry(
    (commit, timestamp): (CommitId, TimestampMs),
    by: &Arc<NodeIdentity>,
    reason: Reason,
    kept: bool,
    item: Arc<Item>,
) -> Quarantined {
    let (key, size, by) = (item.key.clone(), item.size(), Arc::clone(by));
    Quarantined { key, commit, timestamp, by, reason, size, item: kept.then_some(item) }
}

// Upper bounds for the size of stored records, so that plans are cut before the journal refuses them. The estimate is
// never below the true size. Keys, ids and names have no control characters, so escaping at most doubles them; a reason
// may have any. A value is already canonical JSON and is stored as it is.

const ESCAPED: usize = 2;
/// A control character becomes `\u001f`.
const ESCAPED_CONTROL: usize = 6;
/// Quotes and a comma around a list entry.
const ENTRY: usize = 3;

pub(crate) fn commit_bytes(commit: &Commit) -> usize {
    let step = commit.provenance.as_ref().map_or(0, |provenance| provenance.step.len());
    let head = RECORD_BYTES + identity_bytes(&commit.author) + ESCAPED * commit.key.as_str().len();
    head + ESCAPED_CONTROL * step
        + match &commit.act {
            Act::Pack { after, .. } => held_bytes(after) + labels_bytes(after.labels()),
            Act::Quarantine { entry, was_active } => {
                let value =
                    entry.item.as_ref().filter(|_| !was_active).map_or(0, |item| held_bytes(item));
                ESCAPED_CONTROL * entry.reason().len() + value
            }
            Act::Restore(restored) => restored.after.as_ref().map_or(0, |item| item_bytes(item)),
            Act::Unpack { .. } | Act::Delete { .. } | Act::Deny { .. } => 0,
        }
}

pub(crate) fn item_bytes(item: &Item) -> usize {
    let head = RECORD_BYTES + identity_bytes(&item.source) + ESCAPED * item.key.as_str().len();
    head + held_bytes(item) + labels_bytes(item.labels())
}

pub(crate) fn quarantined_bytes(entry: &Quarantined) -> usize {
    let head = RECORD_BYTES + identity_bytes(&entry.by) + ESCAPED * entry.key.as_str().len();
    head + ESCAPED_CONTROL * entry.reason().len()
        + entry.item.as_ref().map_or(0, |item| item_bytes(item))
}

fn held_bytes(item: &Item) -> usize {
    item.content.held().map_or(0, |text| text.len())
}

fn identity_bytes(identity: &NodeIdentity) -> usize {
    let namespace = identity.namespace.as_ref().map_or(0, |namespace| namespace.as_str().len());
    // A namespace may have control characters.
    ESCAPED * (identity.id.as_str().len() + identity.name.as_str().len())
        + ESCAPED_CONTROL * namespace
}

fn labels_bytes(labels: &Labels) -> usize {
    let lists = [labels.readers(), labels.writers()].into_iter().flatten();
    let nodes = lists.flatten().map(|node| node.as_str().len());
    let tags = labels.tags.iter().map(|tag| tag.as_str().len());
    nodes.chain(tags).map(|len| ESCAPED * len + ENTRY).sum()
}
