//! Two states of backpacks: their common ancestor, and the work of each side since.

use piton_backpack::flow::run::RUNNER;
use piton_backpack::{Action, Backpack, BackpackId, Commit, CommitId, Filter, StateDiff};
use piton_core::{Code, Envelope};

use super::backpacks::{Backpacks, Reveal};
use super::differences::render_diff;
use super::reference::{self, BackpackReference, PointReference};
use crate::backpack::short;
use crate::bounds::{CHANGES_SHOWN_MAX, FORKS_FOLLOWED_MAX, cut};
use crate::provenance::{
    BranchSide, CommitTaken, ThingComparison, ThingKind, ThingReference, WrittenThings,
};

/// A backpack, and the last commit that belongs to one of its states.
pub(crate) struct CommitPoint {
    pub(crate) backpack: Backpack,
    pub(crate) commit: Option<CommitId>,
}

impl Backpacks {
    /// Compares two states: their common ancestor, and the work of each side since. Without a common ancestor, the
    /// second state is shown as a diff against the first.
    pub(crate) async fn compare(
        &self,
        left: &ThingReference,
        right: &ThingReference,
    ) -> Result<ThingComparison, Envelope> {
        let (left, right) = (self.commit_point(left).await?, self.commit_point(right).await?);
        let of_left = self.state_of(&left).await?;
        let of_right = self.state_of(&right).await?;
        let ancestor = self.common(&left, &right).await?;
        let mut notes = Vec::new();
        let (left, right) = if let Some(ancestor) = &ancestor {
            let state = self.state_of(ancestor).await?;
            let left = branch(&left, Some(ancestor), Some((&state, &of_left)))?;
            (left, branch(&right, Some(ancestor), Some((&state, &of_right)))?)
        } else {
            // Without a common commit there are no branches, only two states.
            let note = "They have no commit in common: the second is shown against the first.";
            notes.push(note.to_owned());
            (branch(&left, None, None)?, branch(&right, None, Some((&of_left, &of_right)))?)
        };
        let ancestor = ancestor.as_ref().map(CommitPoint::name);
        Ok(ThingComparison::of_states(ThingKind::Backpack, ancestor, left, right, notes))
    }

    /// Returns the backpack and the commit that a person names. The name is that of the backpack, of a run on it, or the
    /// id of a commit. The point is a commit, or a node whose first commit comes right after it.
    pub(crate) async fn commit_point(
        &self,
        place: &ThingReference,
    ) -> Result<CommitPoint, Envelope> {
        // Without a separate point, the name may itself be the id of a commit.
        if place.at.is_none()
            && let Ok(commit) = place.name.parse::<CommitId>()
        {
            return self.with_commit(commit).await;
        }
        let backpack = self.open(&BackpackReference(place.name.clone())).await?;
        let commit = match &place.at {
            None => backpack.head(),
            Some(at) => match reference::commit(&backpack, at) {
                Ok(commit) => Some(commit),
                // A text that is no commit may name a node. If it is neither, the error about the commit is the more
                // helpful one.
                Err(unknown) => {
                    let before = PointReference::BeforeNode(at.clone());
                    reference::point(&backpack, &before).map_err(|_| unknown)?
                }
            },
        };
        Ok(CommitPoint { backpack, commit })
    }

    /// Finds the backpack that contains a commit.
    async fn with_commit(&self, commit: CommitId) -> Result<CommitPoint, Envelope> {
        let searched = self.searched().await?;
        for id in &searched.ids {
            // An unreadable backpack has no commit that could be meant.
            let Ok(backpack) = self.read(id).await else { continue };
            if backpack.debug().commit(commit).is_ok() {
                return Ok(CommitPoint { backpack, commit: Some(commit) });
            }
        }
        let message = format!("No backpack has the commit `{commit}`.{}", searched.caveat());
        Err(Envelope::new(Code::BackpackUnknownCommit, message).with_suggestion(
            "Name it as BACKPACK@COMMIT; `piton backpack log BACKPACK` lists commits.",
        ))
    }

    /// Returns the state after the commit of a point, with every value loaded.
    pub(crate) async fn state_of(&self, spot: &CommitPoint) -> Result<Backpack, Envelope> {
        match (spot.commit, first(&spot.backpack)?) {
            // The point lies before the first commit. A fork starts with the items of its origin, so this state need
            // not be empty.
            (None, Some(first)) => Ok(spot.backpack.snapshot_before_node(&first.author().id)?),
            (commit, _) => self.at_commit(&spot.backpack, commit).await,
        }
    }

    /// Returns the newest commit that both states descend from, if it can still be read.
    async fn common(
        &self,
        left: &CommitPoint,
        right: &CommitPoint,
    ) -> Result<Option<CommitPoint>, Envelope> {
        let of_left = self.line(left).await;
        let of_right = self.line(right).await;
        // Both lines run from the state back to its origins, so the first backpack on both is the nearest common one.
        // There, the histories agree up to the lower of the two commits.
        let common = of_left.iter().find_map(|(id, number)| {
            let (_, other) = of_right.iter().find(|(other, _)| other == id)?;
            Some((id, (*number).min(*other)))
        });
        let Some((id, number)) = common else { return Ok(None) };
        let Ok(backpack) = self.read(id).await else { return Ok(None) };
        let commits = backpack.debug().history(&Filter::default())?;
        let commit = commits.iter().map(Commit::id).find(|id| Some(id.number()) == number);
        Ok(Some(CommitPoint { backpack, commit }))
    }

    /// Returns the backpacks that a state descends from, itself first, each with the number of the last commit that
    /// counts.
    async fn line(&self, spot: &CommitPoint) -> Vec<(BackpackId, Option<u64>)> {
        let number = spot.commit.map(CommitId::number);
        let mut line = vec![(spot.backpack.id().clone(), number)];
        let mut origin = spot.backpack.origin().cloned();
        while let Some(found) = origin.take().filter(|_| line.len() < FORKS_FOLLOWED_MAX) {
            origin = match self.read(&found.backpack).await {
                // The chain ends at an origin that was deleted or cannot be read.
                Ok(backpack) => backpack.origin().cloned(),
                Err(_) => None,
            };
            line.push((found.backpack, found.commit.map(CommitId::number)));
        }
        line
    }
}

fn first(backpack: &Backpack) -> Result<Option<Commit>, Envelope> {
    Ok(backpack.debug().history(&Filter::default())?.into_iter().next())
}

impl CommitPoint {
    fn name(&self) -> String {
        match self.commit {
            Some(commit) => format!("{}@{}", self.backpack.id(), short(commit)),
            None => format!("{} before its first commit", self.backpack.id()),
        }
    }
}

/// Describes the way to a point: its commits since `from`, and the differences between two states.
fn branch(
    spot: &CommitPoint,
    from: Option<&CommitPoint>,
    states: Option<(&Backpack, &Backpack)>,
) -> Result<BranchSide, Envelope> {
    // If the ancestor lies in another backpack, every commit of this one came after the fork.
    let since = from.filter(|from| from.backpack.id() == spot.backpack.id());
    let since = since.and_then(|from| from.commit);
    let all = spot.backpack.debug().history(&Filter::default())?;
    let is_write = |commit: &&Commit| {
        // Reads and refusals, and the notes of the runner, are not work that a person compares.
        let is_read = matches!(commit.action(), Action::Unpack | Action::Deny);
        !is_read && commit.author().id.as_str() != RUNNER
    };
    let is_since = |commit: &&Commit| {
        let number = Some(commit.id().number());
        number > since.map(CommitId::number) && number <= spot.commit.map(CommitId::number)
    };
    let commits: Vec<&Commit> = match from {
        Some(_) => all.iter().filter(is_write).filter(is_since).collect(),
        None => Vec::new(),
    };
    let (commits, commits_left_out) = cut(commits, CHANGES_SHOWN_MAX);
    let taken = |commit: &Commit| CommitTaken {
        commit: short(commit.id()),
        at: commit.timestamp(),
        by: commit.author().id.to_string(),
        action: commit.action().to_string(),
        key: commit.key().to_string(),
        summary: commit.summary(),
    };
    let (changes, keys_left_out) = match states {
        Some((before, after)) => render_diff(&StateDiff::between(before, after)?, Reveal::Nothing),
        None => (Vec::new(), 0),
    };
    let keys = changes.into_iter().map(|change| change.written(spot.backpack.id())).collect();
    Ok(BranchSide {
        name: spot.name(),
        commits: commits.into_iter().map(taken).collect(),
        commits_left_out,
        written: WrittenThings { keys, keys_left_out, ..WrittenThings::default() },
        ..BranchSide::default()
    })
}
