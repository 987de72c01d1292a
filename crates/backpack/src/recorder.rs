//! The recorder of commits outside of memory.

use std::sync::Arc;

use crate::commit::Commit;
use crate::error::Error;

/// Takes every commit, in order. It is called under the lock of the backpack and must return at once.
pub(crate) trait Recorder: Send + Sync {
    /// Checks that more commits are accepted. If not, every act on the backpack is refused.
    fn is_open(&self) -> Result<(), Error>;

    /// Takes a commit, along with its value if that is too large for the history.
    fn record(&self, commit: &Commit, large: Option<&Arc<str>>);
}
