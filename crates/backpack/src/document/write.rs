//! Writing a backpack as a document.

use std::collections::BTreeSet;

use piton_core::canonical;

use super::form::{Document, FORMAT, VERSION};
use crate::backpack::Backpack;
use crate::backpack_core::{BackpackCore, LargeValueSlot};
use crate::bounds::DOCUMENT_COMMITS;
use crate::error::Error;
use crate::item::Item;
use crate::record::{CommitRecord, ItemRecord, QuarantinedRecord, ValueRecord};

impl Backpack {
    /// Encodes the backpack as JSON, with its last 1,000 commits.
    ///
    /// The text contains every value, including protected ones: handle it accordingly.
    pub fn to_json(&self) -> Result<String, Error> {
        self.to_json_with(DOCUMENT_COMMITS)
    }

    /// Encodes the backpack as JSON, with its last `commits` commits that are in memory.
    ///
    /// Fails if a value in use was too large for the history that the backpack comes from.
    pub fn to_json_with(&self, commits: usize) -> Result<String, Error> {
        let core = self.inner.lock();
        let history = &core.history;
        let window = commits.min(history.commits().len());
        let first = history.next_number() - window as u64;
        let last = || history.commits().iter().skip(history.commits().len() - window);
        // The document says what the changed keys held before its first commit, so that a reader can replay from there.
        let before = history.state_after(first);
        let changed: BTreeSet<_> = last().filter(|c| c.is_change()).map(|c| &c.key).collect();
        let base = changed.into_iter().filter_map(|key| before.items.get(key));
        let document = Document {
            v: VERSION,
            format: FORMAT.to_owned(),
            id: self.inner.id.clone(),
            origin: self.inner.origin.clone(),
            options: self.inner.options,
            items: items(&core)?,
            quarantined: quarantined(&core)?,
            permissions: core
                .permissions
                .iter()
                .map(|(node, permissions)| (node.clone(), (**permissions).clone()))
                .collect(),
            nodes: history.nodes().clone(),
            timestamp_ms: history.last_timestamp(),
            first_commit: first,
            base: base.map(|item| ItemRecord::of(item)).collect(),
            commits: last().map(CommitRecord::of).collect(),
        };
        // Encoding can take long for a large backpack; the document is a copy, so release the lock first.
        drop(core);
        let text = canonical::encode(&document).expect("every part of a document is canonical");
        Ok(text.as_str().to_owned())
    }
}

fn items(core: &BackpackCore) -> Result<Vec<ItemRecord>, Error> {
    core.state.items.values().map(|item| in_full(&core.in_full(item))).collect()
}

fn quarantined(core: &BackpackCore) -> Result<Vec<QuarantinedRecord>, Error> {
    let entries = core.state.quarantine.iter();
    entries
        .map(|entry| {
            let item = entry.item.as_ref().map(|item| {
                in_full(&core.filled(item, || LargeValueSlot::Quarantined(entry.commit)))
            });
            Ok(QuarantinedRecord { item: item.transpose()?, ..QuarantinedRecord::of(entry) })
        })
        .collect()
}

fn in_full(item: &Item) -> Result<ItemRecord, Error> {
    let value = ValueRecord::of_text(item.text()?);
    Ok(ItemRecord { value, ..ItemRecord::of(item) })
}
