//! Upper bounds for the size of stored records, so that plans are cut before the journal refuses them.
//!
//! *Invariants*: the estimate is never below the true size. Keys, ids and names have no control characters, so escaping
//! at most doubles them; a reason may have any. A value is already canonical JSON and is stored as it is.

use crate::bounds::RECORD_BYTES;
use crate::history::commit::{Act, Commit};
use crate::names::NodeIdentity;
use crate::state::item::Item;
use crate::state::labels::Labels;
use crate::state::quarantined::Quarantined;

const ESCAPED: usize = 2;
/// A control character becomes `\u001f`.
const ESCAPED_CONTROL: usize = 6;
/// Quotes and a comma around a list entry.
const ENTRY: usize = 3;

pub(crate) fn of_commit(commit: &Commit) -> usize {
    let step = commit.provenance.as_ref().map_or(0, |provenance| provenance.step.len());
    let head = RECORD_BYTES + of_identity(&commit.author) + ESCAPED * commit.key.as_str().len();
    head + ESCAPED_CONTROL * step
        + match &commit.act {
            Act::Pack { after, .. } => held(after) + of_labels(after.labels()),
            Act::Quarantine { entry, was_active } => {
                let value =
                    entry.item.as_ref().filter(|_| !was_active).map_or(0, |item| held(item));
                ESCAPED_CONTROL * entry.reason().len() + value
            }
            Act::Restore(restored) => restored.after.as_ref().map_or(0, |item| of_item(item)),
            Act::Unpack { .. } | Act::Delete { .. } | Act::Deny { .. } => 0,
        }
}

pub(crate) fn of_item(item: &Item) -> usize {
    let head = RECORD_BYTES + of_identity(&item.source) + ESCAPED * item.key.as_str().len();
    head + held(item) + of_labels(item.labels())
}

pub(crate) fn of_quarantined(entry: &Quarantined) -> usize {
    let head = RECORD_BYTES + of_identity(&entry.by) + ESCAPED * entry.key.as_str().len();
    head + ESCAPED_CONTROL * entry.reason().len()
        + entry.item.as_ref().map_or(0, |item| of_item(item))
}

fn held(item: &Item) -> usize {
    item.content.held().map_or(0, |text| text.len())
}

fn of_identity(identity: &NodeIdentity) -> usize {
    let namespace = identity.namespace.as_ref().map_or(0, |namespace| namespace.as_str().len());
    // A namespace may have control characters.
    ESCAPED * (identity.id.as_str().len() + identity.name.as_str().len())
        + ESCAPED_CONTROL * namespace
}

fn of_labels(labels: &Labels) -> usize {
    let lists = [labels.readers(), labels.writers()].into_iter().flatten();
    let nodes = lists.flatten().map(|node| node.as_str().len());
    let tags = labels.tags.iter().map(|tag| tag.as_str().len());
    nodes.chain(tags).map(|len| ESCAPED * len + ENTRY).sum()
}
