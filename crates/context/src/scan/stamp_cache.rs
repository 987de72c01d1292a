//! The scanner's memory of its last scan.

use std::sync::Arc;

use piton_core::Digest;

use crate::tree::{Directory, FileStamp, Time};

/// The last scan.
#[derive(Clone, Debug, Default)]
pub(super) struct Remembered {
    pub(super) root: Option<Arc<Directory>>,
    /// Start of the scan, which decides which stamps are too recent to trust.
    pub(super) began: Time,
    /// Set to read every file again, whatever its stamp.
    pub(super) distrust: bool,
    /// The stamp file that is on disk.
    pub(super) written: Option<StampFile>,
}

/// A stamp file on disk.
#[derive(Clone, Debug)]
pub(super) struct StampFile {
    /// Tree that the file holds.
    pub(super) root: Arc<Directory>,
    pub(super) digest: Digest,
    pub(super) bytes: usize,
}

impl Remembered {
    /// True if a file whose stamp was `then` and is `now` must still have the same content.
    pub(super) fn trusts(&self, then: &FileStamp, now: &FileStamp) -> bool {
        // A file modified too close to the start of the scan may have changed again without changing its stamp.
        !self.distrust && then == now && !then.is_racy(self.began)
    }
}
