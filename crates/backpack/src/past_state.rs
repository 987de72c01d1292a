//! A past state as it is found: a checkpoint, and the few commits that follow it.
//!
//! *Invariants*: finding a past state copies no map. The cost of folding in the commits grows with the number of keys,
//! so it is left to the first reader of the state.

use crate::bounds::CHECKPOINT_COMMITS;
use crate::commit::Commit;
use crate::commit_id::CommitId;
use crate::item_state::ItemState;

/// A past state and the last commit that it contains.
#[derive(Debug)]
pub(crate) struct Past {
    /// The checkpoint before the state, or the state itself if `ahead` is empty.
    pub(crate) base: ItemState,
    /// Changes after the checkpoint: fewer commits than lie between two checkpoints.
    pub(crate) ahead: Vec<Commit>,
    pub(crate) commit: Option<CommitId>,
}

impl Past {
    /// Wraps a state that is already complete.
    pub(crate) fn whole(state: ItemState, commit: Option<CommitId>) -> Self {
        Self { base: state, ahead: Vec::new(), commit }
    }

    /// Folds all commits into the base.
    pub(crate) fn folded(mut self) -> Self {
        debug_assert!((self.ahead.len() as u64) < CHECKPOINT_COMMITS, "a checkpoint was left out");
        self.ahead.drain(..).for_each(|commit| self.base.apply(&commit));
        self
    }
}
