//! Traversal of everything under a directory.

use piton_core::Code;
use piton_store::port::{EntryVersion, Key};

use super::keys::{DirectoryId, name_of};
use super::row::{DirectoryRow, Stored};
use super::store::VirtualStore;
use crate::bounds::{PATH_DEPTH_MAX, SCAN_PAGE, VIRTUAL_TREE_MAX};
use crate::mask::Mask;
use crate::path::MountPath;
use crate::store::StoreFault;

/// Refusal of a path that is too deep to be addressed.
const TOO_DEEP: StoreFault =
    StoreFault::Limit { what: "nested directories", max: PATH_DEPTH_MAX as u64 };

/// An entry anywhere under a directory.
pub(super) struct TreeEntry {
    pub(super) key: Key,
    pub(super) version: EntryVersion,
    pub(super) row: DirectoryRow,
}

impl VirtualStore {
    /// Returns everything under a directory that is, or is going to be, at `path`. Refused if that is too many entries
    /// or too deep there, or if the mask hides any of it.
    pub(super) async fn tree(
        &self,
        id: DirectoryId,
        path: &MountPath,
        mask: Option<&Mask>,
    ) -> Result<Vec<TreeEntry>, StoreFault> {
        let mut nodes = Vec::new();
        let mut waiting = vec![(id, path.clone())];
        while let Some((id, path)) = waiting.pop() {
            let mut after = None;
            loop {
                let prefix = self.keys.entries(id);
                let page = self.ports.table.scan(&prefix, after.as_deref(), SCAN_PAGE).await?;
                after = page.entries.last().map(|entry| Key::clone(&entry.key));
                for entry in page.entries {
                    let damaged = StoreFault::Data(Code::StoreInvariantViolation);
                    let name = name_of(&entry.key).ok_or(damaged)?;
                    let below = path.child(name).map_err(|_| TOO_DEEP)?;
                    mask.map_or(Ok(()), |mask| mask.check_entry(&below))?;
                    let row = Stored::decode(&entry.value)?.row;
                    if let DirectoryRow::Directory { id, .. } = row {
                        waiting.push((id, below));
                    }
                    nodes.push(TreeEntry { key: entry.key, version: entry.version, row });
                    if nodes.len() > VIRTUAL_TREE_MAX {
                        let max = VIRTUAL_TREE_MAX as u64;
                        return Err(StoreFault::Limit { what: "entries at once", max });
                    }
                }
                if !page.more {
                    break;
                }
            }
        }
        Ok(nodes)
    }
}
