//! Which commits are meant.

use crate::commit::{Action, Commit};
use crate::commit_id::CommitId;
use crate::error::Error;
use crate::history::History;
use crate::text::{Key, NodeId};

/// Selects commits; what is absent selects all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// By this node.
    pub node: Option<NodeId>,
    /// To this key.
    pub key: Option<Key>,
    /// That did this.
    pub action: Option<Action>,
    /// From this one on.
    pub from: Option<CommitId>,
    /// Up to this one, itself included.
    pub until: Option<CommitId>,
}

impl Filter {
    /// Whether a commit is meant.
    pub(crate) fn selects(&self, commit: &Commit) -> bool {
        self.node.as_ref().is_none_or(|node| *node == commit.author.id)
            && self.key.as_ref().is_none_or(|key| *key == commit.key)
            && self.action.is_none_or(|action| action == commit.action())
            && self.from.is_none_or(|from| from <= commit.id)
            && self.until.is_none_or(|until| commit.id <= until)
    }

    /// The commits that are meant, oldest first.
    pub(crate) fn select<'a>(
        &'a self,
        history: &'a History,
    ) -> Result<impl Iterator<Item = &'a Commit>, Error> {
        for id in [self.from, self.until].into_iter().flatten() {
            history.find(id)?;
        }
        Ok(history.commits().iter().filter(|commit| self.selects(commit)))
    }
}
