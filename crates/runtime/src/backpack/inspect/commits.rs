//! Commits: the log, a single commit, and the authors of the values in use.

use std::collections::BTreeSet;

use piton_backpack::flow::run::RUNNER;
use piton_backpack::{Action, Backpack, BackpackId, Commit, CommitId, Filter, Item, Key};
use piton_core::{Code, Envelope, truncate};

use super::backpacks::{Backpacks, LogFilter, Reveal};
use super::point;
use super::reference::BackpackReference;
use super::reply::{BackpackBlame, BackpackLog, BlameLine, CommitLine, CommitShown};
use super::value;
use crate::bounds::{COMMITS_SHOWN_MAX, ITEMS_SHOWN_MAX, PATH_QUOTED_BYTES_MAX};
use crate::nearest::nearest;
use crate::text_diff;

impl Backpacks {
    /// Returns the commits that match the filter, newest first.
    pub async fn log(
        &self,
        reference: &BackpackReference,
        filter: &LogFilter,
    ) -> Result<BackpackLog, Envelope> {
        let backpack = self.open(reference).await?;
        let LogFilter { node, key, action, notes, limit } = filter.clone();
        let asked_for_runner = node.as_ref().is_some_and(|node| node.as_str() == RUNNER);
        let wanted = Filter { node, key, action, ..Filter::default() };
        let debug = backpack.debug();
        let mut commits = debug.history(&wanted).map_err(|error| error.envelope())?;
        let all = commits.len();
        // The runner's notes would drown everything else, so they appear only on request or when the filter names the
        // runner.
        if !notes && !asked_for_runner {
            commits.retain(|commit| commit.author().id.as_str() != RUNNER);
        }
        let left_out = all - commits.len();
        let abandoned = abandoned(&backpack);
        let limit = limit.clamp(1, COMMITS_SHOWN_MAX);
        let older = commits.len().saturating_sub(limit);
        let shown = commits.iter().rev().take(limit);
        Ok(BackpackLog {
            backpack: backpack.id().clone(),
            commits: shown.map(|commit| line(commit, &abandoned)).collect(),
            older,
            notes: left_out,
        })
    }

    /// Shows one commit, with the value it stored and the value that this replaced.
    pub async fn show(
        &self,
        reference: &BackpackReference,
        commit: &str,
        reveal: Reveal,
    ) -> Result<CommitShown, Envelope> {
        let backpack = self.open(reference).await?;
        let id = point::commit(&backpack, commit)?;
        let commit = backpack.debug().commit(id).map_err(|error| error.envelope())?;
        // A value too large for the history is not in memory, and is fetched from the blob store.
        let stored = match commit.value() {
            Some(item) if !item.is_available() => self.filled(&backpack, &commit).await?,
            other => other.cloned(),
        };
        let is_aside = commit.action() == Action::Quarantine;
        let shown = stored.as_ref().map(|item| {
            if is_aside { value::aside(item, reveal) } else { value::bounded_value(item, reveal) }
        });
        let (mut diff, mut left_out_lines) = (Vec::new(), 0);
        // A diff reveals both values, so it is shown only if both may be shown and both are at hand.
        if let (Some(after), Some(before)) = (&stored, commit.previous())
            && [after, before].into_iter().all(|item| value::is_shown(item, reveal))
            && let (Some(before), Some(after)) = (value::text(before), value::text(after))
        {
            (diff, left_out_lines) = text_diff::lines(&before, &after);
        }
        Ok(CommitShown {
            backpack: backpack.id().clone(),
            line: line(&commit, &abandoned(&backpack)),
            value: shown,
            diff,
            left_out_lines,
        })
    }

    /// Returns the item of a commit with its value loaded from the store.
    async fn filled(&self, backpack: &Backpack, commit: &Commit) -> Result<Option<Item>, Envelope> {
        let state = self.at_commit(backpack, Some(commit.id())).await?;
        let debug = state.debug();
        // A quarantined item is not under its key any more, so it is found by its commit.
        if commit.action() == Action::Quarantine {
            let entries = debug.quarantined();
            let entry = entries.iter().find(|entry| entry.commit() == commit.id());
            return Ok(entry.and_then(|entry| entry.item().cloned()));
        }
        let item = debug.item(commit.key().as_str()).map_err(|error| error.envelope())?;
        Ok(item.map(|item| (*item).clone()))
    }

    /// Lists the author of each value in use. With a key, lists the author of each of its versions, newest first.
    pub async fn blame(
        &self,
        reference: &BackpackReference,
        key: Option<&str>,
    ) -> Result<BackpackBlame, Envelope> {
        let backpack = self.open(reference).await?;
        let mut lines = match key {
            Some(key) => versions(&backpack, key)?,
            None => in_use(&backpack)?,
        };
        let left_out = lines.len().saturating_sub(ITEMS_SHOWN_MAX);
        lines.truncate(ITEMS_SHOWN_MAX);
        Ok(BackpackBlame { backpack: backpack.id().clone(), lines, left_out })
    }
}

/// Returns the commits that a later commit took back.
pub(super) fn abandoned(backpack: &Backpack) -> BTreeSet<CommitId> {
    backpack.debug().abandoned().iter().map(Commit::id).collect()
}

pub(super) fn line(commit: &Commit, abandoned: &BTreeSet<CommitId>) -> CommitLine {
    // A replaced value is worth naming only if another node wrote it.
    let other = commit.previous().map(|item| &item.source().id);
    let is_stored = matches!(commit.action(), Action::Pack | Action::Delete | Action::Quarantine);
    let replaced = other.filter(|other| is_stored && **other != commit.author().id);
    CommitLine {
        commit: commit.id(),
        short: point::short(commit.id()),
        timestamp_ms: commit.timestamp(),
        by: commit.author().clone(),
        action: commit.action(),
        key: commit.key().clone(),
        version: commit.value().map(Item::version).filter(|version| *version > 0),
        size: commit.size(),
        summary: commit.summary(),
        replaced: replaced.map(ToString::to_string),
        refused: commit.refused(),
        reason: commit.reason().map(str::to_owned),
        abandoned: abandoned.contains(&commit.id()),
        provenance: commit.provenance().cloned(),
    }
}

fn in_use(backpack: &Backpack) -> Result<Vec<BlameLine>, Envelope> {
    let debug = backpack.debug();
    let history = debug.history(&Filter::default()).map_err(|error| error.envelope())?;
    let items = debug.items().into_iter().filter(|item| item.source().id.as_str() != RUNNER);
    Ok(items.map(|item| blamed(&item, stored_by(&history, &item))).collect())
}

/// Returns the commit that stored the item under its key.
fn stored_by<'a>(history: &'a [Commit], item: &Item) -> Option<&'a Commit> {
    // An item carries no commit id, so its commit is found by everything that identifies the item.
    let is_meant = |stored: &Item| {
        (stored.version(), stored.timestamp()) == (item.version(), item.timestamp())
            && stored.source() == item.source()
    };
    history.iter().rev().find(|commit| {
        commit.action() == Action::Pack
            && commit.key() == item.key()
            && commit.value().is_some_and(is_meant)
    })
}

fn versions(backpack: &Backpack, key: &str) -> Result<Vec<BlameLine>, Envelope> {
    let debug = backpack.debug();
    let commits = debug.key_history(key).map_err(|error| error.envelope())?;
    let mut lines: Vec<BlameLine> = commits
        .iter()
        .rev()
        .filter_map(|commit| Some(blamed(commit.value()?, Some(commit))))
        .collect();
    // A key without commits of its own may still hold an item that the fork brought along.
    if lines.is_empty() {
        let item = debug.item(key).map_err(|error| error.envelope())?;
        lines.extend(item.map(|item| blamed(&item, None)));
    }
    if lines.is_empty() { Err(no_key(backpack.id(), backpack, key)) } else { Ok(lines) }
}

fn blamed(item: &Item, commit: Option<&Commit>) -> BlameLine {
    BlameLine {
        key: item.key().clone(),
        by: item.source().clone(),
        timestamp_ms: item.timestamp(),
        version: item.version(),
        size: item.size(),
        commit: commit.map(|commit| point::short(commit.id())),
        summary: item.summary(),
        provenance: commit.and_then(Commit::provenance).cloned(),
    }
}

/// Builds the error for a key that holds nothing in a state of a backpack.
pub(super) fn no_key(backpack: &BackpackId, state: &Backpack, key: &str) -> Envelope {
    let shown = truncate(key, PATH_QUOTED_BYTES_MAX);
    let message = format!("There is nothing under `{shown}` in `{backpack}`.");
    let envelope = Envelope::new(Code::BackpackKeyMissing, message);
    let keys = state.debug().keys();
    match nearest(key, keys.iter().map(Key::as_str)).as_slice() {
        [] => {
            let list = format!("`piton backpack at {backpack}` lists the keys in use.");
            envelope.with_suggestion(list)
        }
        close => envelope.with_suggestion(format!("Did you mean {}?", close.join(" or "))),
    }
}
