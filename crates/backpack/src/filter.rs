//! Filters over the commits of a history.

use crate::commit::{Action, Commit};
use crate::commit_id::CommitId;
use crate::error::Error;
use crate::history::History;
use crate::text::{Key, NodeId};

/// Selects commits. An absent field selects all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only commits of this node.
    pub node: Option<NodeId>,
    /// Only commits about this key.
    pub key: Option<Key>,
    /// Only commits with this action.
    pub action: Option<Action>,
    /// Only this commit and later ones.
    pub from: Option<CommitId>,
    /// Only this commit and earlier ones.
    pub until: Option<CommitId>,
}

impl Filter {
    /// True if the filter selects a commit.
    pub(crate) fn selects(&self, commit: &Commit) -> bool {
        self.node.as_ref().is_none_or(|node| *node == commit.author.id)
            && self.key.as_ref().is_none_or(|key| *key == commit.key)
            && self.action.is_none_or(|action| action == commit.action())
            && self.from.is_none_or(|from| from <= commit.id)
            && self.until.is_none_or(|until| commit.id <= until)
    }

    /// Returns the selected commits, oldest first.
    pub(crate) fn select<'a>(
        &'a self,
        history: &'a History,
    ) -> Result<impl Iterator<Item = &'a Commit>, Error> {
        for id in [self.from, self.until].into_iter().flatten() {
            // A bound that is not in memory is an error, so that a partial result never looks complete.
            history.find(id)?;
        }
        Ok(history.commits().iter().filter(|commit| self.selects(commit)))
    }
}
