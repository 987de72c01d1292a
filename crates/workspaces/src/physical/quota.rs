//! Quotas of a Physical Store.
//!
//! Usage is counted whenever something is added, under the lock of the Mount. The count stops as soon as it exceeds the
//! quota, so the quota itself bounds its cost.

use std::os::fd::{AsFd, BorrowedFd};

use super::list::{entries, size};
use super::open::{Root, one_directory, stat_in};
use crate::bounds::PATH_DEPTH_MAX;
use crate::path::MountPath;
use crate::store::{EntryKind, QuotaKind, StoreFault};
use crate::workspaces::Quota;

impl Root {
    /// Refuses a write that would take the Mount over its quota. Afterwards `path` has `bytes` bytes or, with `added`,
    /// that number of bytes more than now.
    pub(super) fn check_quota(
        &self,
        quota: Quota,
        path: &MountPath,
        bytes: u64,
        added: bool,
    ) -> Result<(), StoreFault> {
        let old = self.file(path).ok().map(|(_, stat)| size(&stat));
        let mut used = Used { quota, bytes, files: u64::from(old.is_none()) };
        if let (false, Some(old)) = (added, old) {
            // The content that is replaced does not count, but the scan below includes it: raise the limit by its size.
            used.quota.bytes_max = used.quota.bytes_max.saturating_add(old);
        }
        let counted = used.count(self.directory(&MountPath::root())?.as_fd(), 0);
        // The error names the configured limit, not the raised one.
        counted.map_err(|refused| match refused {
            StoreFault::Quota { kind: QuotaKind::Bytes, .. } => {
                StoreFault::Quota { kind: QuotaKind::Bytes, max: quota.bytes_max }
            }
            other => other,
        })
    }
}

struct Used {
    quota: Quota,
    bytes: u64,
    files: u64,
}

impl Used {
    fn count(&mut self, directory: BorrowedFd<'_>, depth: usize) -> Result<(), StoreFault> {
        // Deeper entries cannot be reached through the Store either.
        if depth > PATH_DEPTH_MAX {
            return Ok(());
        }
        let (found, _) = entries(directory)?;
        for entry in found {
            match entry.kind {
                EntryKind::Directory => {
                    if let Ok(below) = one_directory(directory, &*entry.name) {
                        self.count(below.as_fd(), depth + 1)?;
                    }
                }
                EntryKind::File => {
                    let bytes = size(&stat_in(directory, &*entry.name)?);
                    self.files += 1;
                    self.bytes = self.bytes.saturating_add(bytes);
                }
                EntryKind::Link | EntryKind::Other => self.files += 1,
            }
            self.quota.check(self.bytes, self.files)?;
        }
        self.quota.check(self.bytes, self.files)
    }
}
