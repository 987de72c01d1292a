//! A past state, as it is found: a checkpoint, and the few commits that lead on from it.
//!
//! *Invariants*: finding one copies no map. What it costs to fold the commits in grows with the number of keys, so that
//! is left to whoever looks at the state first.

use crate::bounds::CHECKPOINT_COMMITS;
use crate::commit::Commit;
use crate::commit_id::CommitId;
use crate::item_state::ItemState;

/// A past state and the last commit that is part of it.
#[derive(Debug)]
pub(crate) struct Past {
    /// The checkpoint before it, or the state itself if nothing is ahead.
    pub(crate) base: ItemState,
    /// What changed the state after the checkpoint: fewer commits than lie between two checkpoints.
    pub(crate) ahead: Vec<Commit>,
    pub(crate) commit: Option<CommitId>,
}

impl Past {
    /// A past state that is known as a whole.
    pub(crate) fn whole(state: ItemState, commit: Option<CommitId>) -> Self {
        Self { base: state, ahead: Vec::new(), commit }
    }

    /// The same, folded.
    pub(crate) fn folded(mut self) -> Self {
        debug_assert!((self.ahead.len() as u64) < CHECKPOINT_COMMITS, "a checkpoint was left out");
        self.ahead.drain(..).for_each(|commit| self.base.apply(&commit));
        self
    }
}
