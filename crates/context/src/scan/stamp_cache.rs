//! What a scanner remembers of the last scan.

use std::sync::Arc;

use piton_core::Digest;

use crate::tree::{Directory, FileStamp, Time};

/// The last scan.
#[derive(Clone, Debug, Default)]
pub(super) struct Remembered {
    /// Its tree.
    pub(super) root: Option<Arc<Directory>>,
    /// When it began.
    pub(super) began: Time,
    /// Whether every file is to be read again, whatever its stamp.
    pub(super) distrust: bool,
    /// The file of stamps that is there.
    pub(super) written: Option<StampFile>,
}

/// A file of stamps.
#[derive(Clone, Debug)]
pub(super) struct StampFile {
    /// The tree in it.
    pub(super) root: Arc<Directory>,
    /// The digest of what is in it.
    pub(super) digest: Digest,
    /// Its size.
    pub(super) bytes: usize,
}

impl Remembered {
    /// Whether a file with the stamp `now` has the content that it had when it had the stamp `then`.
    pub(super) fn trusts(&self, then: &FileStamp, now: &FileStamp) -> bool {
        !self.distrust && then == now && !then.is_racy(self.began)
    }
}
