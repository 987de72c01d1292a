//! Continuing from an earlier state without changing the past: new commits put the keys back.
//!
//! *Invariants*: either every key is put back or none is. A required value that is unavailable fails the whole call.

use std::sync::Arc;

use imbl::ordmap::DiffItem;

use super::commit::{Act, Restored};
use super::commit_id::CommitId;
use crate::backpack::Backpack;
use crate::backpack_core::{LargeValue, LargeValueSlot};
use crate::error::Error;
use crate::names::{Key, NodeIdentity};
use crate::state::item::Item;

/// A key to put back, with its item and the value that the history does not hold.
struct RestoredKey {
    key: Key,
    item: Option<Arc<Item>>,
    large: Option<LargeValue>,
}

pub(crate) fn abandon(
    backpack: &Backpack,
    snapshot: &Backpack,
    is_meant: impl Fn(&Key) -> bool,
    by: &Arc<NodeIdentity>,
) -> Result<Vec<CommitId>, Error> {
    let foreign = || Error::ForeignSnapshot { id: backpack.id().clone() };
    let origin = snapshot.origin().filter(|origin| origin.backpack == *backpack.id());
    // A snapshot is identified by its origin. One that was written to since no longer shows a state of this backpack.
    let since = origin.ok_or_else(foreign)?.commit;
    let core = snapshot.inner.lock();
    if core.history.newest().is_some() {
        return Err(foreign());
    }
    let (wanted, values) = (core.state.clone(), core.large.clone());
    drop(core);
    // First collect everything that is needed, then commit: a value that is unavailable fails before any change.
    backpack.inner.act(by, |core| {
        let mut put_back = Vec::new();
        for difference in core.state.items.diff(&wanted.items) {
            let (key, item) = match difference {
                DiffItem::Add(key, item) | DiffItem::Update { new: (key, item), .. } => {
                    (key, Some(item))
                }
                // The key did not exist in the snapshot, so it is removed.
                DiffItem::Remove(key, _) => (key, None),
            };
            if !is_meant(key) {
                continue;
            }
            let slot = LargeValueSlot::Active(key.clone());
            let large = values.get(&slot).cloned();
            if let Some(item) = item.filter(|item| !item.is_available() && large.is_none()) {
                return Err(Error::Unavailable { key: key.clone(), size: item.size() });
            }
            put_back.push(RestoredKey { key: key.clone(), item: item.cloned(), large });
        }
        // From here on nothing can fail.
        let mut commits = Vec::with_capacity(put_back.len());
        for RestoredKey { key, item: after, large } in put_back {
            let slot = LargeValueSlot::Active(key.clone());
            match large {
                // The slot follows the item: a restored large value comes back, and that of the replaced item goes.
                Some(text) => core.large.insert(slot, text),
                None => core.large.remove(&slot),
            };
            let before = core.state.items.get(&key).cloned();
            let stamp = backpack.inner.stamp(core);
            let act = Act::Restore(Box::new(Restored { before, after, since }));
            commits.push(backpack.inner.commit(core, stamp, by.into(), key, act));
        }
        Ok(commits)
    })
}
