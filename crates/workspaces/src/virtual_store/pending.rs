//! Changes of a Virtual Store that are ready: checked, and with their content kept.

use piton_core::{Digest, FileBytes};
use piton_store::port::Version;

use super::{
    row::{Row, Stored},
    store::VirtualStore,
};
use crate::{
    bounds::FILE_BYTES_MAX,
    mask::Mask,
    path::MountPath,
    store::{Before, Change, Expected, Fault, Prepared},
};

/// A change that is ready.
pub(super) struct Pending {
    pub(super) store: VirtualStore,
    pub(super) act: Act,
    /// The row that was found at the path of the change.
    pub(super) found: Option<Version>,
    pub(super) before: Before,
    pub(super) after: Option<Digest>,
}

/// What a commit does.
pub(super) enum Act {
    Nothing,
    Put { path: MountPath, stored: Stored },
    Remove { path: MountPath },
    Move { from: MountPath, to: MountPath },
}

impl VirtualStore {
    /// Makes a change ready.
    pub(super) async fn prepare_change(&self, change: Change) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(match change {
            Change::Write { path, bytes, expected } => {
                self.prepare_file(path, &bytes, &expected, None).await?
            }
            Change::Append { path, bytes } => {
                let lookup = self.lookup(&path).await?;
                let old = match lookup.entry {
                    Some(found) if matches!(found.stored.row, Row::File { .. }) => {
                        let loaded = self.content(found.stored).await?;
                        Some((loaded.digest, [&*loaded.bytes, &bytes].concat()))
                    }
                    _ => None,
                };
                match old {
                    Some((digest, joined)) => {
                        let expected = Expected::Digest(digest);
                        // Somebody who changed it in between is told as such, and tried again.
                        let prepared = self.prepare_file(path, &joined, &expected, None).await;
                        prepared.map_err(|fault| match fault {
                            Fault::Conflict { .. } => Fault::Raced,
                            other => other,
                        })?
                    }
                    None => self.prepare_file(path, &bytes, &Expected::Anything, None).await?,
                }
            }
            Change::Delete { path, recursive, expected, mask } => {
                self.prepare_removal(path, recursive, &expected, &mask).await?
            }
            Change::Move { from, to, mask } => self.prepare_move(from, to, &mask).await?,
            Change::MakeDirectory { path } => self.prepare_directory(path).await?,
        }))
    }

    /// Makes a write ready that, in an overlay, stands in front of a file below.
    pub(crate) async fn prepare_copy_up(
        &self,
        path: MountPath,
        bytes: &[u8],
        base: Option<Digest>,
    ) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(self.prepare_file(path, bytes, &Expected::Anything, base).await?))
    }

    /// Makes ready that a path is told as deleted, in an overlay.
    pub(crate) async fn prepare_whiteout(
        &self,
        path: MountPath,
        base: Option<Digest>,
    ) -> Result<Box<dyn Prepared>, Fault> {
        let lookup = self.lookup(&path).await?;
        let stored = Stored { row: Row::Whiteout { base, modified: self.now() }, inline: None };
        let (found, before) = (lookup.version(), before(lookup.row()));
        let act = Act::Put { path, stored };
        Ok(Box::new(Pending { store: self.clone(), act, found, before, after: None }))
    }

    /// Takes away a row with everything below it, whatever it is.
    pub(crate) async fn forget(&self, path: MountPath) -> Result<(), Fault> {
        let lookup = self.lookup(&path).await?;
        let (found, before) = (lookup.version(), before(lookup.row()));
        let act = Act::Remove { path };
        let pending = Pending { store: self.clone(), act, found, before, after: None };
        Box::new(pending).commit().await
    }

    async fn prepare_file(
        &self,
        path: MountPath,
        bytes: &[u8],
        expected: &Expected,
        base: Option<Digest>,
    ) -> Result<Pending, Fault> {
        let size = bytes.len() as u64;
        if size > FILE_BYTES_MAX {
            return Err(Fault::TooLarge { bytes: size, max: FILE_BYTES_MAX });
        }
        if path.is_root() {
            return Err(Fault::IsDirectory);
        }
        let lookup = self.lookup(&path).await?;
        let (old, base) = match lookup.row() {
            Some(Row::Directory { .. }) => return Err(Fault::IsDirectory),
            Some(Row::File { digest, base: old_base, .. }) => (Some(*digest), base.or(*old_base)),
            Some(Row::Whiteout { base: old_base, .. }) => (None, base.or(*old_base)),
            None => (None, base),
        };
        expected.check(old.as_ref())?;
        let digest = Digest::of(&FileBytes(bytes));
        let row = Row::File { digest, bytes: size, modified: self.now(), base };
        self.check_usage(&lookup, &row).await?;
        let stored = Stored { row, inline: self.keep(bytes).await? };
        Ok(Pending {
            store: self.clone(),
            act: Act::Put { path, stored },
            found: lookup.version(),
            before: before(lookup.row()),
            after: Some(digest),
        })
    }

    async fn prepare_directory(&self, path: MountPath) -> Result<Pending, Fault> {
        let lookup = self.lookup(&path).await?;
        let id = match lookup.row() {
            Some(Row::File { .. }) => return Err(Fault::Exists),
            Some(Row::Directory { id, .. }) => *id,
            Some(Row::Whiteout { .. }) | None => self.new_id(),
        };
        let (opaque, base) = match lookup.row() {
            Some(Row::Directory { opaque, base, .. }) => (*opaque, *base),
            Some(Row::Whiteout { base, .. }) => (true, *base),
            _ => (false, None),
        };
        let row = Row::Directory { id, modified: self.now(), opaque, base };
        let stored = Stored { row, inline: None };
        Ok(Pending {
            store: self.clone(),
            act: if path.is_root() { Act::Nothing } else { Act::Put { path, stored } },
            found: lookup.version(),
            before: before(lookup.row()),
            after: None,
        })
    }

    async fn prepare_removal(
        &self,
        path: MountPath,
        recursive: bool,
        expected: &Expected,
        mask: &Mask,
    ) -> Result<Pending, Fault> {
        let lookup = self.lookup(&path).await?;
        match lookup.row() {
            Some(Row::Directory { id, .. }) => {
                let tree = self.tree(*id, &path, Some(mask)).await?;
                if !recursive && !tree.is_empty() {
                    return Err(Fault::NotEmpty);
                }
            }
            Some(Row::File { digest, .. }) => expected.check(Some(digest))?,
            Some(Row::Whiteout { .. }) | None => return Err(Fault::NotFound),
        }
        Ok(Pending {
            store: self.clone(),
            found: lookup.version(),
            before: before(lookup.row()),
            after: None,
            act: Act::Remove { path },
        })
    }

    async fn prepare_move(
        &self,
        from: MountPath,
        to: MountPath,
        mask: &Mask,
    ) -> Result<Pending, Fault> {
        if to.starts_with(&from) {
            return Err(if to == from { Fault::Exists } else { Fault::NotDirectory });
        }
        let lookup = self.lookup(&from).await?;
        match lookup.row() {
            Some(Row::Directory { id, .. }) => {
                self.tree(*id, &from, Some(mask)).await?;
                self.tree(*id, &to, None).await?;
            }
            Some(Row::File { .. }) => {}
            Some(Row::Whiteout { .. }) | None => return Err(Fault::NotFound),
        }
        if !matches!(self.lookup(&to).await?.row(), None | Some(Row::Whiteout { .. })) {
            return Err(Fault::Exists);
        }
        let after = match lookup.row() {
            Some(Row::File { digest, .. }) => Some(*digest),
            _ => None,
        };
        Ok(Pending {
            store: self.clone(),
            found: lookup.version(),
            before: before(lookup.row()),
            after,
            act: Act::Move { from, to },
        })
    }
}

fn before(row: Option<&Row>) -> Before {
    match row {
        Some(Row::File { digest, .. }) => Before::File(Some(*digest)),
        Some(Row::Directory { .. }) => Before::Directory,
        Some(Row::Whiteout { .. }) | None => Before::Nothing,
    }
}
