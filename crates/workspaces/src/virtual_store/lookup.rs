//! Lookup of a path, with all directories on the way to it, and of everything under a directory.

use piton_core::Code;
use piton_store::PagedScan;
use piton_store::port::{EntryChange, EntryVersion, Expect, Key, TableWrite};

use super::namespace::{DirectoryId, ROOT, name_of};
use super::row::{DirectoryRow, Stored};
use super::store::VirtualStore;
use crate::bounds::{PATH_DEPTH_MAX, SCAN_PAGE, VIRTUAL_TREE_MAX};
use crate::mask::Mask;
use crate::path::MountPath;
use crate::store::StoreFault;

/// A row with the version of the write that made it.
#[derive(Clone, Debug)]
pub(super) struct FoundRow {
    pub(super) stored: Stored,
    pub(super) version: EntryVersion,
}

/// A directory on the way to a path.
#[derive(Clone, Debug)]
pub(super) struct PathStep {
    /// Parent directory and name in it. `None` for the root of the Mount.
    place: Option<(DirectoryId, String)>,
    id: DirectoryId,
    found: Option<FoundRow>,
}

/// Result of looking up a path.
pub(super) struct Lookup {
    /// Existing directories above the path, starting with the root of the Mount.
    pub(super) steps: Vec<PathStep>,
    /// Names of the missing directories above the path.
    pub(super) missing: Vec<String>,
    /// In an overlay: the whiteout at the first missing directory, if there is one.
    pub(super) whiteout: Option<(EntryVersion, DirectoryRow)>,
    /// Row of the path itself.
    pub(super) entry: Option<FoundRow>,
}

impl Lookup {
    /// Returns the directory that holds the path, if it exists.
    pub(super) fn parent(&self) -> Option<DirectoryId> {
        self.missing.is_empty().then(|| self.last())
    }

    /// Returns the last existing directory on the way.
    pub(super) fn last(&self) -> DirectoryId {
        self.steps.last().map_or(ROOT, |step| step.id)
    }

    pub(super) fn row(&self) -> Option<&DirectoryRow> {
        self.entry.as_ref().map(|found| &found.stored.row)
    }

    pub(super) fn version(&self) -> Option<EntryVersion> {
        self.entry.as_ref().map(|found| found.version)
    }
}

impl VirtualStore {
    /// Looks up a path. A file on the way fails with `NotDirectory`; a deleted directory counts as missing.
    pub(super) async fn lookup(&self, path: &MountPath) -> Result<Lookup, StoreFault> {
        let mut steps = vec![PathStep { place: None, id: ROOT, found: None }];
        let mut missing = Vec::new();
        let mut whiteout = None;
        let Some((parent, last)) = path.split() else {
            return Ok(Lookup { steps: Vec::new(), missing, whiteout: None, entry: None });
        };
        for name in parent.names() {
            let above = steps.last().expect("the Mount is the first step").id;
            // Below a missing directory nothing can exist, so no more rows are read.
            let found = if missing.is_empty() { self.row(above, name).await? } else { None };
            match found.as_ref().map(|found| &found.stored.row) {
                Some(DirectoryRow::Directory { id, .. }) => {
                    let id = *id;
                    steps.push(PathStep { place: Some((above, name.to_owned())), id, found });
                }
                Some(DirectoryRow::File { .. }) => return Err(StoreFault::NotDirectory),
                Some(DirectoryRow::Whiteout { .. }) => {
                    whiteout = found.map(|found| (found.version, found.stored.row));
                    missing.push(name.to_owned());
                }
                None => missing.push(name.to_owned()),
            }
        }
        let entry = match steps.last() {
            Some(step) if missing.is_empty() => self.row(step.id, last).await?,
            _ => None,
        };
        Ok(Lookup { steps, missing, whiteout, entry })
    }

    /// Returns the existing rows on the way to a path and its own, each with its version.
    pub(crate) async fn path_steps(
        &self,
        path: &MountPath,
    ) -> Result<Vec<(DirectoryRow, EntryVersion)>, StoreFault> {
        let mut rows = Vec::new();
        let mut above = ROOT;
        for name in path.names() {
            let Some(found) = self.row(above, name).await? else {
                break;
            };
            let below = match found.stored.row {
                DirectoryRow::Directory { id, .. } => Some(id),
                _ => None,
            };
            rows.push((found.stored.row, found.version));
            match below {
                Some(id) => above = id,
                None => break,
            }
        }
        Ok(rows)
    }

    pub(super) async fn row(
        &self,
        directory: DirectoryId,
        name: &str,
    ) -> Result<Option<FoundRow>, StoreFault> {
        let Some(entry) = self.ports.table.get(&self.keys.entry(directory, name)).await? else {
            return Ok(None);
        };
        Ok(Some(FoundRow { stored: Stored::decode(&entry.value)?, version: entry.version }))
    }

    /// Returns the preconditions of a commit on the directories on the way: each has to be the one that was found. With
    /// `touch`, the last one is rewritten, because an entry is added to or removed from it.
    pub(super) fn guards(&self, steps: &[PathStep], touch: bool) -> Vec<TableWrite> {
        let mut guards = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let (Some((directory, name)), Some(found)) = (&step.place, &step.found) else {
                continue;
            };
            let last = at + 1 == steps.len();
            let change = if touch && last {
                EntryChange::Put(self.touched(found))
            } else {
                EntryChange::Keep
            };
            let key = self.keys.entry(*directory, name);
            guards.push(TableWrite { key, expect: Expect::Version(found.version), change });
        }
        guards
    }

    fn touched(&self, found: &FoundRow) -> Vec<u8> {
        let mut stored = found.stored.clone();
        if let DirectoryRow::Directory { modified, .. } = &mut stored.row {
            *modified = self.now();
        }
        stored.encode()
    }
}

/// Refusal of a path that is too deep to be addressed.
const TOO_DEEP: StoreFault = StoreFault::limit("nested directories", PATH_DEPTH_MAX);

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
            let prefix = self.keys.entries(id);
            let mut scan = PagedScan::new(&*self.ports.table, &prefix, SCAN_PAGE);
            while let Some(entries) = scan.next().await? {
                for entry in entries {
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
                        return Err(StoreFault::limit("entries at once", VIRTUAL_TREE_MAX));
                    }
                }
            }
        }
        Ok(nodes)
    }
}
