//! Usage and quota of a namespace.

use piton_store::port::{EntryVersion, TableWrite};

use super::lookup::Lookup;
use super::row::{DirectoryRow, Usage};
use super::store::VirtualStore;
use crate::store::StoreFault;

impl VirtualStore {
    /// Refuses early what the quota would refuse anyway, before any content is stored.
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

    /// Returns the usage of the namespace and the version of its row.
    pub(super) async fn usage(&self) -> Result<(Usage, Option<EntryVersion>), StoreFault> {
        let Some(entry) = self.ports.table.get(&self.keys.usage()).await? else {
            return Ok((Usage::default(), None));
        };
        Ok((Usage::decode(&entry.value)?, Some(entry.version)))
    }

    /// Adds the change of the usage to a batch, if there is one. Refuses a batch that exceeds the quota.
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
        // A batch that only removes is always allowed, so an overfull namespace can be cleaned up.
        if let Some(quota) = self.quota.filter(|_| !added.is_empty()) {
            quota.check(after.bytes, after.files)?;
        }
        // The version makes concurrent changes conflict here, so no update of the count is lost.
        batch.push(TableWrite::put(self.keys.usage(), version.into(), after.encode()));
        Ok(())
    }
}
