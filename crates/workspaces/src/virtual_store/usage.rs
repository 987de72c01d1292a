//! How much a namespace holds.

use piton_core::Code;
use piton_store::port::{EntryChange as RowChange, EntryVersion, TableWrite};

use super::{
    commit::expect,
    lookup::Lookup,
    row::{DirectoryRow, Usage},
    store::VirtualStore,
};
use crate::store::StoreFault;

impl VirtualStore {
    /// Refuses early what the quota will refuse, before any content is kept.
    pub(super) async fn check_usage(
        &self,
        lookup: &Lookup,
        row: &DirectoryRow,
    ) -> Result<(), StoreFault> {
        let Some(quota) = self.quota else {
            return Ok(());
        };
        let removed: Vec<&DirectoryRow> = lookup.row().into_iter().collect();
        let usage = self.usage().await?.0.after(&removed, &[row]);
        quota.check(usage.bytes, usage.files)
    }

    /// How much there is, and the write that says so.
    pub(super) async fn usage(&self) -> Result<(Usage, Option<EntryVersion>), StoreFault> {
        let Some(entry) = self.ports.table.get(&self.keys.usage()).await? else {
            return Ok((Usage::default(), None));
        };
        let damaged = StoreFault::Data(Code::StoreInvariantViolation);
        let usage = serde_json::from_slice(&entry.value).map_err(|_| damaged)?;
        Ok((usage, Some(entry.version)))
    }

    /// Adds to a batch what it does to the usage, if anything, and refuses what is over the quota.
    pub(super) async fn account(
        &self,
        removed: &[&DirectoryRow],
        added: &[&DirectoryRow],
        batch: &mut Vec<TableWrite>,
    ) -> Result<(), StoreFault> {
        let (usage, version) = self.usage().await?;
        let after = usage.after(removed, added);
        if after == usage {
            return Ok(());
        }
        if let Some(quota) = self.quota.filter(|_| !added.is_empty()) {
            quota.check(after.bytes, after.files)?;
        }
        batch.push(TableWrite {
            key: self.keys.usage(),
            expect: expect(version),
            change: RowChange::Put(
                serde_json::to_vec(&after).expect("two numbers have a JSON form"),
            ),
        });
        Ok(())
    }
}
