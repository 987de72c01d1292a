//! Taking back what nodes that did not finish have changed.
//!
//! *Invariants*: what others changed stands, whether the run ended or was killed. *Limitations*: they are known by
//! name, so before its record says that the run ended, an agent called as a node counts as that node.
//!
//! History never changes, so the backpack adds commits that put keys back. The commits in between stay, marked as
//! abandoned, and the record of the run says which they are.

use std::collections::{BTreeMap, BTreeSet};

use piton_backpack::{Commit, CommitId, Filter, Key};

use super::progress::{KEY as PASSES, KeptPasses};
use super::record::{Abandoned, KEY as RECORD, RUNNER, RunRecord, runner};
use crate::error::Error;
use crate::flow_state::FlowState;
use crate::graph::Flow;

/// Brings the state back to where the last record left it, but for what passes of a batch have finished since and for
/// what others did. Says which commits were abandoned, if there are any.
pub(super) async fn abandon(
    state: &FlowState,
    flow: &Flow,
    passes: &KeptPasses,
) -> Result<Option<Abandoned>, Error> {
    let Some((since, end)) = RunRecord::unfinished(state).await? else { return Ok(None) };
    let after = state.history(&Filter { from: Some(since), ..Filter::default() }).await?;
    let is_own = |commit: &Commit| [RECORD, PASSES].contains(&commit.key().as_str());
    // The runner takes back what nodes changed, and may have been killed while it did.
    let is_others = |commit: &Commit| {
        let author = commit.author().id.as_str();
        author != RUNNER && !flow.has_node(author)
    };
    let stands = |commit: &Commit| {
        let is_later = end.is_some_and(|end| commit.id() > end);
        is_later || passes.changes.contains(&commit.id()) || is_others(commit)
    };
    let changes = || after.iter().skip(1).filter(|commit| commit.is_change() && !is_own(commit));
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
    // Most keys that were kept hold what they should, because nobody changed them later.
    let mut overwritten: BTreeMap<CommitId, BTreeSet<&Key>> = BTreeMap::new();
    for commit in changes() {
        if let Some(last) = kept.get(commit.key()).filter(|last| **last < commit.id()) {
            overwritten.entry(*last).or_default().insert(commit.key());
        }
    }
    let is_open = |key: &Key| !kept.contains_key(key) && ![RECORD, PASSES].contains(&key.as_str());
    state.abandon_since(since, is_open, runner()).await?;
    for (last, keys) in overwritten {
        state.abandon_since(last, |key| keys.contains(key), runner()).await?;
    }
    Ok(abandoned)
}
