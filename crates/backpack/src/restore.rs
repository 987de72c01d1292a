//! Going on from an earlier state without changing the past: keys are put back by new commits.
//!
//! *Invariants*: either every key is put back or, if a value that is needed cannot be had, none is.

use std::sync::Arc;

use imbl::ordmap::DiffItem;

use crate::backpack::Backpack;
use crate::backpack_core::{LargeValue, LargeValueSlot};
use crate::commit::{Act, Restored};
use crate::commit_id::CommitId;
use crate::error::Error;
use crate::item::Item;
use crate::node_identity::NodeIdentity;
use crate::text::Key;

/// What a key is to hold again, with its value if the history does not hold it.
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
    let since = origin.ok_or_else(foreign)?.commit;
    let core = snapshot.inner.lock();
    if core.history.newest().is_some() {
        return Err(foreign());
    }
    let (wanted, values) = (core.state.clone(), core.large.clone());
    drop(core);
    backpack.inner.act(by, |core| {
        let mut put_back = Vec::new();
        for difference in core.state.items.diff(&wanted.items) {
            let (key, item) = match difference {
                DiffItem::Add(key, item) | DiffItem::Update { new: (key, item), .. } => {
                    (key, Some(item))
                }
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
        let mut commits = Vec::with_capacity(put_back.len());
        for RestoredKey { key, item: after, large } in put_back {
            let slot = LargeValueSlot::Active(key.clone());
            match large {
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
