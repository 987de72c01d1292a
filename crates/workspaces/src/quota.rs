//! Limits on the contents of a Workspace.

use crate::store::{QuotaKind, StoreFault};

/// Limit on the contents of a Workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Maximum size of all files together.
    pub bytes_max: u64,
    /// Maximum number of files.
    pub files_max: u64,
}

impl Quota {
    /// Refuses usage above the quota.
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
