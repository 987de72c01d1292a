//! Usage and quota of a namespace.

use piton_core::Code;
use piton_store::port::{EntryVersion, TableWrite};
use serde::{Deserialize, Serialize};

use super::lookup::Lookup;
use super::row::DirectoryRow;
use super::store::VirtualStore;
use crate::store::StoreFault;

/// Number of bytes and files in a namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Usage {
    pub(super) bytes: u64,
    pub(super) files: u64,
}

impl Usage {
    pub(super) fn encode(self) -> Vec<u8> {
        serde_json::to_vec(&self).expect("two numbers have a JSON form")
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, StoreFault> {
        serde_json::from_slice(bytes).map_err(|_| StoreFault::Data(Code::StoreInvariantViolation))
    }

    /// Returns the usage after entries are removed and added.
    pub(super) fn after(mut self, removed: &[&DirectoryRow], added: &[&DirectoryRow]) -> Self {
        for row in removed {
            if let DirectoryRow::File { bytes, .. } = row {
                self.bytes = self.bytes.saturating_sub(*bytes);
                self.files = self.files.saturating_sub(1);
            }
        }
        for row in added {
            if let DirectoryRow::File { bytes, .. } = row {
                self.bytes += bytes;
                self.files += 1;
            }
        }
        self
    }
}

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
