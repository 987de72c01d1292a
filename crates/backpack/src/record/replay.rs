//! Replaying records one after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::records::{ActRecord, CommitRecord, ValueRecord};
use crate::history::commit::{Act, Commit, Restored};
use crate::history::commits::History;
use crate::names::{NodeId, NodeIdentity};
use crate::options::Options;
use crate::state::item::Item;
use crate::state::item_state::ItemState;
use crate::state::labels::Labels;
use crate::state::quarantined::{Quarantined, Reason};

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
            labels.check().map_err(|_| Contradiction::Labels)?;
            Ok(Arc::new(Item {
                key: key.clone(),
                content: value.content().map_err(|_| Contradiction::Value)?,
                source: Arc::clone(&author),
                timestamp,
                version,
                labels: (!labels.is_empty()).then(|| Arc::new(labels)),
            }))
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
    (commit, timestamp): (crate::history::commit_id::CommitId, piton_core::TimestampMs),
    by: &Arc<NodeIdentity>,
    reason: Reason,
    kept: bool,
    item: Arc<Item>,
) -> Quarantined {
    let (key, size, by) = (item.key.clone(), item.size(), Arc::clone(by));
    Quarantined { key, commit, timestamp, by, reason, size, item: kept.then_some(item) }
}
