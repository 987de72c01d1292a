//! Undoing the changes of nodes that did not finish.
//!
//! *Invariants*: changes by others stand, whether the run ended or was killed. *Limitations*: authors are distinguished
//! by name. Until the record says that the run ended, an agent with the name of a node counts as that node.
//!
//! History never changes, so the backpack adds commits that put keys back. The commits in between stay, marked as
//! abandoned, and the record of the run says which ones they are.

use std::collections::{BTreeMap, BTreeSet};

use super::progress::{KEY as PASSES, KeptPasses};
use super::record::{Abandoned, KEY as RECORD, RUNNER, RunRecord, runner};
use crate::flow::error::Error;
use crate::flow::flow_state::FlowState;
use crate::flow::graph::Flow;
use crate::{Commit, CommitId, Filter, Key};

/// Restores the state of the last record, except for changes by finished passes of a batch and by others. Returns the
/// range of abandoned commits, if there are any.
pub(super) async fn abandon(
    state: &FlowState,
    flow: &Flow,
    passes: &KeptPasses,
) -> Result<Option<Abandoned>, Error> {
    let Some((since, end)) = RunRecord::unfinished(state).await? else { return Ok(None) };
    // `after` begins with the record itself, which is skipped below.
    let after = state.history(&Filter { from: Some(since), ..Filter::default() }).await?;
    let is_own = |commit: &Commit| [RECORD, PASSES].contains(&commit.key().as_str());
    // Commits of the runner do not stand: it restores keys here, and may have been killed halfway through.
    let is_others = |commit: &Commit| {
        let author = commit.author().id.as_str();
        author != RUNNER && !flow.has_node(author)
    };
    // Later than the end of the run, part of a finished pass, or made by an author outside of the flow.
    let stands = |commit: &Commit| {
        let is_later = end.is_some_and(|end| commit.id() > end);
        is_later || passes.changes.contains(&commit.id()) || is_others(commit)
    };
    let changes = || after.iter().skip(1).filter(|commit| commit.is_change() && !is_own(commit));
    // First sort the changes: for each key, the last commit that stands; overall, the range of those that do not.
    let mut kept: BTreeMap<&Key, CommitId> = BTreeMap::new();
    let mut abandoned: Option<Abandoned> = None;
    for commit in changes() {
        if stands(commit) {
            kept.insert(commit.key(), commit.id());
        } else {
            let first = abandoned.map_or(commit.id(), |range| range.first);
            abandoned = Some(Abandoned { first, last: commit.id() });
        }
    }
    if abandoned.is_none() {
        return Ok(None);
    }
    // Most keys with a commit that stands already hold the right value. The rest was overwritten later.
    let mut overwritten: BTreeMap<CommitId, BTreeSet<&Key>> = BTreeMap::new();
    for commit in changes() {
        if let Some(last) = kept.get(commit.key()).filter(|last| **last < commit.id()) {
            overwritten.entry(*last).or_default().insert(commit.key());
        }
    }
    // A key without any commit that stands goes back to the record; the runner's own keys are left alone.
    let is_open = |key: &Key| !kept.contains_key(key) && ![RECORD, PASSES].contains(&key.as_str());
    state.abandon_since(since, is_open, runner()).await?;
    // An overwritten key goes back to its last commit that stands instead.
    for (last, keys) in overwritten {
        state.abandon_since(last, |key| keys.contains(key), runner()).await?;
    }
    Ok(abandoned)
}
