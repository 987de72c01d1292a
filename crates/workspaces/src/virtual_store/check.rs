//! Checks of Virtual Stores and of the records of file changes, and repairs that move damaged entries out of the way.
//!
//! *Invariants*: a check changes nothing. A repair keeps every row that it removes under a separate key, in the same
//! commit; an entry that changed meanwhile is left to the next repair. Repeating a repair changes nothing more.
//!
//! *Limitations*: the entries of a directory whose own row is unreadable are kept, but nothing finds them.

use std::collections::BTreeMap;

use piton_core::{Digest, FileBytes};
use piton_store::port::{BlobNamespace, Expect, Key, Table, TableEntry, TableWrite};
use piton_store::{Error, PagedScan};
use serde::Serialize;

use super::lookup::FoundRow;
use super::namespace::{ROOT, START, is_entry, name_of, namespace_of, usage_of};
use super::row::{DirectoryRow, Stored};
use super::usage::Usage;
use super::{VirtualPorts, VirtualStore};
use crate::audit;
use crate::bounds::SCAN_PAGE;
use crate::path::MountPath;
use crate::store::StoreFault;

/// Key prefix of the rows of Virtual Stores, and the prefix under which rows that were moved out of the way are kept.
pub(super) const VIRTUAL: (&[u8], &[u8]) = (START, b"workspaces/virtual-aside/1/");
const RECORDS: (&[u8], &[u8]) = (audit::START, b"workspaces/audit-aside/1/");

/// Result of a check of all Virtual Stores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VirtualChecked {
    /// Number of intact files.
    pub files: u64,
    /// Names of damaged entries.
    pub damaged: Vec<String>,
}

/// Result of a repair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VirtualRepaired {
    /// Names of entries that were taken out of use.
    pub taken_out: Vec<String>,
    /// Paths of the damaged contents now, relative to the data directory.
    pub kept: Vec<String>,
}

/// An unusable entry.
struct Damaged {
    entry: TableEntry,
    name: String,
    /// Digest of the damaged blob, if the content is one.
    blob: Option<Digest>,
}

/// Returns the key under which a row is kept once it is moved out of the way.
fn aside_of(key: &[u8]) -> Key {
    let (start, aside) = if key.starts_with(VIRTUAL.0) { VIRTUAL } else { RECORDS };
    [aside, &key[start.len()..]].concat().into()
}

/// Checks every row and every content of all stored Virtual Stores.
pub async fn check_virtual(ports: &VirtualPorts) -> Result<VirtualChecked, Error> {
    let mut checked = VirtualChecked::default();
    let (mut damaged, _) = check_entries(ports, &mut checked.files).await?;
    damaged.extend(damaged_records(ports).await?);
    checked.damaged = damaged.into_iter().map(|damaged| damaged.name).collect();
    Ok(checked)
}

/// Takes damaged entries out of use. In an overlay, the lower entries become visible again.
pub async fn repair_virtual(ports: &VirtualPorts) -> Result<VirtualRepaired, Error> {
    let mut done = VirtualRepaired::default();
    let (mut damaged, usages) = check_entries(ports, &mut 0).await?;
    damaged.extend(damaged_records(ports).await?);
    if damaged.is_empty() {
        return Ok(done);
    }
    for damage in damaged {
        let Damaged { entry, name, blob } = damage;
        // The copy and the removal are one commit, so a crash loses neither the row nor the evidence.
        let keep = TableWrite::put(aside_of(&entry.key), Expect::Anything, entry.value);
        let remove = TableWrite::remove(entry.key, Expect::Version(entry.version));
        match ports.table.commit(vec![keep, remove]).await {
            Ok(_) => done.taken_out.push(name),
            // The entry changed since the check, so it may be intact now. The next repair looks again.
            Err(Error::Conflict { .. }) => continue,
            Err(error) => return Err(error),
        }
        if let Some(digest) = blob {
            done.kept.extend(ports.blobs.set_aside(BlobNamespace::Virtual, digest).await?);
        }
    }
    // Removed rows no longer count: write the usage that the scan found for the intact ones.
    for (namespace, usage) in usages {
        let key = usage_of(&namespace);
        let read = ports.table.get(&key).await?.map(|row| row.version);
        let write = TableWrite::put(key, read.into(), usage.encode());
        match ports.table.commit(vec![write]).await {
            // A concurrent writer continues from the old count; the quota is then a little too strict.
            Ok(_) | Err(Error::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// True if a repair removed anything from the table, or took it out of use there.
pub(crate) async fn has_taken_out(table: &dyn Table) -> Result<bool, Error> {
    let mut has_any = !table.scan(VIRTUAL.1, None, 1).await?.entries.is_empty();
    table.taken_out(&mut |_| has_any = true).await?;
    Ok(has_any)
}

impl VirtualStore {
    /// True if a repair removed or lost the entry at a path, or a directory above it.
    pub(super) async fn lost_entry(&self, path: &MountPath) -> Result<bool, StoreFault> {
        let mut above = ROOT;
        for name in path.names() {
            match self.row(above, name).await? {
                Some(FoundRow {
                    stored: Stored { row: DirectoryRow::Directory { id, .. }, .. },
                    ..
                }) => {
                    above = id;
                }
                Some(_) => return Ok(false),
                // The first missing name decides: if its row was moved aside or lost, so is everything below it.
                None => {
                    let (table, key) = (&self.ports.table, self.keys.entry(above, name));
                    let mut is_lost = table.get(&aside_of(&key)).await?.is_some();
                    table.taken_out(&mut |taken_out| is_lost |= taken_out.covers(&key)).await?;
                    return Ok(is_lost);
                }
            }
        }
        Ok(false)
    }
}

/// Returns the names of entries that repairs took out of use. Their rows are kept in the table.
pub async fn kept_virtual(ports: &VirtualPorts) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for (start, aside) in [VIRTUAL, RECORDS] {
        let mut rows = PagedScan::new(&*ports.table, aside, SCAN_PAGE);
        while let Some(entries) = rows.next().await? {
            names.extend(entries.into_iter().map(|kept| {
                let key: Key = [start, &kept.key[aside.len()..]].concat().into();
                let name = name_of(&key).map(ToOwned::to_owned);
                let name = name.or_else(|| record_name(&TableEntry { key, ..kept }));
                name.unwrap_or_else(|| "(a name that cannot be read)".to_owned())
            }));
        }
    }
    Ok(names)
}

fn record_name(entry: &TableEntry) -> Option<String> {
    Some(format!("(the record of change {})", audit::damaged_record(entry)?))
}

/// Returns the records of file changes that cannot be read.
async fn damaged_records(ports: &VirtualPorts) -> Result<Vec<Damaged>, Error> {
    let mut damaged = Vec::new();
    let mut records = PagedScan::new(&*ports.table, RECORDS.0, SCAN_PAGE);
    while let Some(entries) = records.next().await? {
        damaged.extend(entries.into_iter().filter_map(|entry| {
            let name = record_name(&entry)?;
            Some(Damaged { entry, name, blob: None })
        }));
    }
    Ok(damaged)
}

/// Inspects every row. Returns the damaged ones, and the usage of each namespace by intact ones.
async fn check_entries(
    ports: &VirtualPorts,
    files: &mut u64,
) -> Result<(Vec<Damaged>, BTreeMap<Vec<u8>, Usage>), Error> {
    let (mut damaged, mut usages) = (Vec::new(), BTreeMap::<Vec<u8>, Usage>::new());
    let mut rows = PagedScan::new(&*ports.table, START, SCAN_PAGE);
    while let Some(entries) = rows.next().await? {
        for entry in entries {
            let Some(namespace) = namespace_of(&entry.key) else { continue };
            let usage = usages.entry(namespace.to_vec()).or_default();
            // A namespace has one row that is no entry: its usage.
            if !is_entry(&entry.key) {
                if Usage::decode(&entry.value).is_err() {
                    let name = "(how much there is)".to_owned();
                    damaged.push(Damaged { entry, name, blob: None });
                }
                continue;
            }
            let name = name_of(&entry.key).unwrap_or("(a name that cannot be read)").to_owned();
            let Ok(stored) = Stored::decode(&entry.value) else {
                damaged.push(Damaged { entry, name, blob: None });
                continue;
            };
            let DirectoryRow::File { digest, .. } = stored.row else { continue };
            let is_whole = match &stored.inline {
                Some(content) => Digest::of(&FileBytes(content)) == digest,
                None => match ports.blobs.get(BlobNamespace::Virtual, digest).await {
                    // Reading a blob verifies its digest, so a present blob is an intact one.
                    Ok(found) => found.is_some(),
                    Err(Error::BlobCorrupt { .. }) => false,
                    Err(error) => return Err(error),
                },
            };
            if is_whole {
                *files += 1;
                *usage = usage.after(&[], &[&stored.row]);
            } else {
                let blob = stored.inline.is_none().then_some(digest);
                damaged.push(Damaged { entry, name, blob });
            }
        }
    }
    Ok((damaged, usages))
}
