//! Commits: the log, a single commit, and the authors of the values in use.

use std::collections::BTreeSet;

use piton_backpack::flow::run::RUNNER;
use piton_backpack::{
    Action, Backpack, BackpackId, Commit, CommitId, Filter, Item, Key, NodeId, NodeIdentity,
    Operation,
};
use piton_core::{Code, Envelope, Provenance, TimestampMs, nearest, truncate};
use schemars::JsonSchema;
use serde::Serialize;

use super::backpacks::{Backpacks, Reveal};
use super::items::{ValueShown, is_shown, readable, show_quarantined, show_value};
use super::reference::{self, BackpackReference};
use crate::backpack::short;
use crate::bounds::{
    COMMITS_SHOWN_MAX, ITEMS_SHOWN_MAX, PATH_QUOTED_BYTES_MAX, VALUE_SHOWN_BYTES_MAX,
};
use crate::page::Page;
use crate::text_diff::{self, DiffLine};

/// Selects the commits that a log shows.
#[derive(Clone, Debug, Default)]
pub struct LogFilter {
    pub node: Option<NodeId>,
    pub key: Option<Key>,
    pub action: Option<Action>,
    /// Set to include the notes that the runner of flows keeps for itself.
    pub notes: bool,
    /// Only commits before this one, which ended the page before.
    pub before: Option<String>,
    /// Maximum number of commits; the newest are kept.
    pub limit: usize,
}

/// Commits, the newest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackpackLog {
    pub backpack: BackpackId,
    pub commits: Vec<CommitLine>,
    /// Number of older commits that match as well.
    pub older: usize,
    /// The commit that the next page comes before; none if there are no older ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<CommitId>,
    /// Number of the runner's own notes left out.
    pub notes: usize,
}

/// A commit without its values.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommitLine {
    pub commit: CommitId,
    /// The short form, enough to name the commit within its backpack.
    pub short: String,
    pub timestamp_ms: TimestampMs,
    pub by: NodeIdentity,
    pub action: Action,
    pub key: Key,
    /// The version that was stored or read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Size of the value in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// A few words about the value. A protected value is not shown.
    pub summary: String,
    /// The other node whose value was replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// The operation that was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Operation>,
    /// Reason for the quarantine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Set if a later commit took this one back because its node did not finish.
    pub abandoned: bool,
    /// The workflow step that the commit was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// A commit with the value it stored and the value it replaced.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommitShown {
    pub backpack: BackpackId,
    #[serde(flatten)]
    pub line: CommitLine,
    /// The value that was stored, read or quarantined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ValueShown>,
    /// Diff against the previous value of the key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diff: Vec<DiffLine>,
    /// Number of diff lines left out.
    pub left_out_lines: usize,
}

/// Authors of the values in use.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackpackBlame {
    pub backpack: BackpackId,
    /// One line for each key in use, in key order; or for each version of one key, newest first.
    pub lines: Vec<BlameLine>,
    /// Number of lines left out.
    pub left_out: usize,
}

/// The author of one value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlameLine {
    pub key: Key,
    pub by: NodeIdentity,
    pub timestamp_ms: TimestampMs,
    pub version: u64,
    /// Size of the value in bytes.
    pub size: u64,
    /// The commit that stored it; absent if a fork brought it along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// A few words about the value. A protected value is not shown.
    pub summary: String,
    /// The workflow step that the value was packed for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

impl Backpacks {
    /// Returns the commits that match the filter, newest first.
    pub async fn log(
        &self,
        reference: &BackpackReference,
        filter: &LogFilter,
    ) -> Result<BackpackLog, Envelope> {
        let backpack = self.open(reference).await?;
        let LogFilter { node, key, action, notes, before, limit } = filter.clone();
        let asked_for_runner = node.as_ref().is_some_and(|node| node.as_str() == RUNNER);
        let wanted = Filter { node, key, action, ..Filter::default() };
        let debug = backpack.debug();
        let mut commits = debug.history(&wanted)?;
        if let Some(before) = before {
            let before = reference::commit(&backpack, &before)?;
            // The commit itself may not match the filter, so its place is found among all of them.
            let all = debug.history(&Filter::default())?;
            let earlier = all.iter().map(Commit::id).take_while(|id| *id != before);
            let earlier: BTreeSet<CommitId> = earlier.collect();
            commits.retain(|commit| earlier.contains(&commit.id()));
        }
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
        let shown = &commits[older..];
        Ok(BackpackLog {
            next: shown.first().map(Commit::id).filter(|_| older > 0),
            backpack: backpack.id().clone(),
            commits: shown.iter().rev().map(|commit| line(commit, &abandoned)).collect(),
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
        let id = reference::commit(&backpack, commit)?;
        let commit = backpack.debug().commit(id)?;
        // A value too large for the history is not in memory, and is fetched from the blob store.
        let stored = match commit.value() {
            Some(item) if !item.is_available() => self.filled(&backpack, &commit).await?,
            other => other.cloned(),
        };
        let is_aside = commit.action() == Action::Quarantine;
        let shown = stored.as_ref().map(|item| {
            if is_aside {
                show_quarantined(item, reveal)
            } else {
                show_value(item, reveal, VALUE_SHOWN_BYTES_MAX)
            }
        });
        let (mut diff, mut left_out_lines) = (Vec::new(), 0);
        // A diff reveals both values, so it is shown only if both may be shown and both are at hand.
        if let (Some(after), Some(before)) = (&stored, commit.previous())
            && [after, before].into_iter().all(|item| is_shown(item, reveal))
            && let (Some(before), Some(after)) = (readable(before), readable(after))
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
        let item = debug.item(commit.key().as_str())?;
        Ok(item.map(|item| (*item).clone()))
    }

    /// Lists the author of each value in use. With a key, lists the author of each of its versions, newest first.
    pub async fn blame(
        &self,
        reference: &BackpackReference,
        key: Option<&str>,
        page: Page,
    ) -> Result<BackpackBlame, Envelope> {
        let backpack = self.open(reference).await?;
        let lines = match key {
            Some(key) => versions(&backpack, key)?,
            None => in_use(&backpack)?,
        };
        let (lines, left_out) = page.of(lines, ITEMS_SHOWN_MAX);
        Ok(BackpackBlame { backpack: backpack.id().clone(), lines, left_out })
    }
}

/// Returns the commits that a later commit took back.
fn abandoned(backpack: &Backpack) -> BTreeSet<CommitId> {
    backpack.debug().abandoned().iter().map(Commit::id).collect()
}

fn line(commit: &Commit, abandoned: &BTreeSet<CommitId>) -> CommitLine {
    // A replaced value is worth naming only if another node wrote it.
    let other = commit.previous().map(|item| &item.source().id);
    let is_stored = matches!(commit.action(), Action::Pack | Action::Delete | Action::Quarantine);
    let replaced = other.filter(|other| is_stored && **other != commit.author().id);
    CommitLine {
        commit: commit.id(),
        short: short(commit.id()),
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
    let history = debug.history(&Filter::default())?;
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
    let commits = debug.key_history(key)?;
    let mut lines: Vec<BlameLine> = commits
        .iter()
        .rev()
        .filter_map(|commit| Some(blamed(commit.value()?, Some(commit))))
        .collect();
    // A key without commits of its own may still hold an item that the fork brought along.
    if lines.is_empty() {
        let item = debug.item(key)?;
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
        commit: commit.map(|commit| short(commit.id())),
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
