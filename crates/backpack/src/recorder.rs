//! Where commits go beside the memory.

use std::sync::Arc;

use crate::commit::Commit;
use crate::error::Error;

/// Takes every commit, in order. Called under the lock of the backpack: it must return at once.
pub(crate) trait Recorder: Send + Sync {
    /// Whether more commits are taken. Nothing happens to a backpack whose recorder takes none.
    fn is_open(&self) -> Result<(), Error>;

    /// Takes a commit, with its value if that is too large for the history.
    fn record(&self, commit: &Commit, large: Option<&Arc<str>>);
}
