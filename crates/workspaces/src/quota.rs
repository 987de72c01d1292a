//! How much a Workspace may hold.

use crate::store::{QuotaKind, StoreFault};

/// How much a Workspace may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Bytes of all files together.
    pub bytes_max: u64,
    /// Files.
    pub files_max: u64,
}

impl Quota {
    /// Refuses a use that is over the quota.
    pub(crate) fn check(self, bytes: u64, files: u64) -> Result<(), StoreFault> {
        if bytes > self.bytes_max {
            return Err(StoreFault::Quota { kind: QuotaKind::Bytes, max: self.bytes_max });
        }
        if files > self.files_max {
            return Err(StoreFault::Quota { kind: QuotaKind::Files, max: self.files_max });
        }
        Ok(())
    }
}
