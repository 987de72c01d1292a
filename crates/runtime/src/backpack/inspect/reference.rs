//! Resolution of the backpack, and of the point in its history, that a person names.
//!
//! *Invariants*: an ambiguous name is refused, and the error lists the candidates.

use std::collections::BTreeSet;
use std::time::Duration;

use piton_backpack::flow::RunRecord;
use piton_backpack::{Backpack, BackpackId, Commit, CommitId, Error, Filter, NodeId};
use piton_core::{Code, Envelope, nearest, truncate};

use super::backpacks::Backpacks;
use crate::backpack::short;
use crate::bounds::{
    BACKPACKS_SEARCHED_MAX, ID_ENDING_BYTES_MIN, NAMES_LISTED_MAX, PATH_QUOTED_BYTES_MAX,
};
use crate::workflow::reference::ambiguous;

/// Prefix of the ids that Piton generates.
const MINTED: &str = "pack_";

/// A backpack as a person names it: by its name, by the start of its id, or by the id of the last run on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackpackReference(pub String);

/// Returns the start of an id for lists: generated ids are longer than anyone types.
pub(super) fn short_id(id: &BackpackId) -> String {
    const DIGITS: usize = 8;
    let text = id.as_str();
    match text.strip_prefix(MINTED) {
        Some(digits) if digits.len() > DIGITS => digits[..DIGITS].to_owned(),
        _ => text.to_owned(),
    }
}

impl Backpacks {
    /// Returns the backpack that a reference names.
    pub async fn meant(&self, reference: &BackpackReference) -> Result<BackpackId, Envelope> {
        let text = reference.0.trim();
        let streams = self.ports.journal.streams().await.map_err(|error| error.envelope())?;
        let ids: Vec<BackpackId> = streams.into_iter().map(BackpackId::from).collect();
        // An exact id wins even if it is also the start of another one.
        if let Some(exact) = ids.iter().find(|id| id.as_str() == text) {
            return Ok(exact.clone());
        }
        let mut found: Vec<BackpackId> =
            ids.iter().filter(|id| begins(id, text)).cloned().collect();
        let mut caveat = String::new();
        // Finding a run means reading backpacks, so it comes last and only for texts that look like the id of a run.
        if found.is_empty() && text.starts_with("run_") {
            let searched = self.searched().await?;
            found = self.with_run(text, &searched).await;
            caveat = searched.caveat();
        }
        match found.as_slice() {
            [id] => Ok(id.clone()),
            [] => Err(nothing(text, &caveat, &ids)),
            several => {
                Err(ambiguous(text, several.iter()).with_suggestion("Name one by its whole id."))
            }
        }
    }

    /// Returns the backpacks whose last run has an id that starts with `text`.
    async fn with_run(&self, text: &str, searched: &Searched) -> Vec<BackpackId> {
        let mut found = Vec::new();
        for id in &searched.ids {
            // An unreadable backpack has no run that could be meant.
            let Ok(backpack) = self.read(id).await else { continue };
            let record = RunRecord::of(&backpack).ok().flatten();
            if record.is_some_and(|record| record.run.to_string().starts_with(text)) {
                found.push(id.clone());
            }
        }
        found
    }
}

fn begins(id: &BackpackId, text: &str) -> bool {
    let id = id.as_str();
    let digits = id.strip_prefix(MINTED).unwrap_or(id);
    let enough = text.strip_prefix(MINTED).unwrap_or(text).len() >= ID_ENDING_BYTES_MIN;
    enough && (id.starts_with(text) || digits.starts_with(text))
}

fn nothing(text: &str, caveat: &str, ids: &[BackpackId]) -> Envelope {
    let shown = truncate(text, PATH_QUOTED_BYTES_MAX);
    let message = format!("There is no backpack or run `{shown}` in this data directory.{caveat}");
    let envelope = Envelope::new(Code::BackpackNotFound, message);
    match nearest(text, ids.iter().map(BackpackId::as_str)).as_slice() {
        [] => envelope.with_suggestion("`piton backpack list` shows which there are."),
        close => envelope.with_suggestion(format!(
            "Did you mean {}? `piton backpack list` shows all.",
            close.join(" or ")
        )),
    }
}

/// A point in the history of a backpack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointReference {
    Newest,
    /// After a commit, given by its id or by the `c` and number that lists show.
    Commit(String),
    /// Before the first commit of a node.
    BeforeNode(String),
}

/// Returns the last commit at or before the point, or `None` if the point lies before the first commit.
pub(super) fn point(
    backpack: &Backpack,
    point: &PointReference,
) -> Result<Option<CommitId>, Envelope> {
    match point {
        PointReference::Newest => Ok(backpack.head()),
        PointReference::Commit(text) => commit(backpack, text).map(Some),
        PointReference::BeforeNode(node) => before(backpack, node),
    }
}

/// Returns the commit that a text names.
pub(super) fn commit(backpack: &Backpack, text: &str) -> Result<CommitId, Envelope> {
    let debug = backpack.debug();
    let all = debug.history(&Filter::default())?;
    let text = text.trim();
    // The short form is `c` followed by the commit number in hexadecimal.
    let numbered = text.strip_prefix('c').and_then(|hex| u64::from_str_radix(hex, 16).ok());
    // The number is unique within one backpack. A full id must match completely.
    let found = all.iter().map(Commit::id).find(|id| match numbered {
        Some(number) => id.number() == number,
        None => id.to_string() == text,
    });
    found.ok_or_else(|| {
        let shown = truncate(text, PATH_QUOTED_BYTES_MAX);
        let message = format!("The backpack `{}` has no commit `{shown}`.", backpack.id());
        let envelope = Envelope::new(Code::BackpackUnknownCommit, message);
        match (all.first(), all.last()) {
            (Some(first), Some(last)) => envelope.with_suggestion(format!(
                "Its commits go from {} to {}; `piton backpack log {}` lists them.",
                short(first.id()),
                short(last.id()),
                backpack.id()
            )),
            _ => envelope.with_suggestion("It has no commits at all."),
        }
    })
}

fn before(backpack: &Backpack, node: &str) -> Result<Option<CommitId>, Envelope> {
    match backpack.snapshot_before_node(&NodeId::parse(node)?) {
        // A snapshot records the commit that it was taken at as its origin; `None` means before the first commit.
        Ok(snapshot) => Ok(snapshot.origin().and_then(|origin| origin.commit)),
        Err(Error::UnknownNode { .. }) => Err(unknown_node(backpack, node)),
        Err(error) => Err(error.into()),
    }
}

fn unknown_node(backpack: &Backpack, node: &str) -> Envelope {
    let shown = truncate(node, PATH_QUOTED_BYTES_MAX);
    let message = format!("No commit of `{}` is by a node `{shown}`.", backpack.id());
    let commits = backpack.debug().history(&Filter::default()).unwrap_or_default();
    let nodes: BTreeSet<&str> = commits.iter().map(|commit| commit.author().id.as_str()).collect();
    let close = nearest(node, nodes.iter().copied());
    let suggestion = if close.is_empty() {
        let named: Vec<&str> = nodes.into_iter().take(NAMES_LISTED_MAX).collect();
        format!("Nodes that acted: {}.", named.join(", "))
    } else {
        format!("Did you mean {}?", close.join(" or "))
    };
    Envelope::new(Code::BackpackUnknownCommit, message).with_suggestion(suggestion)
}

/// The backpacks that a search reads.
pub(super) struct Searched {
    /// Most recently written first.
    pub(super) ids: Vec<BackpackId>,
    /// Number of older backpacks that the search does not reach.
    pub(super) not_reached: usize,
}

impl Backpacks {
    /// Returns the backpacks that a search reads: all of them, unless there are more than a person would wait for.
    pub(super) async fn searched(&self) -> Result<Searched, Envelope> {
        Ok(within(self.newest().await?, BACKPACKS_SEARCHED_MAX))
    }
}

impl Searched {
    /// Returns the note for an answer that found nothing; empty if everything was read.
    pub(super) fn caveat(&self) -> String {
        match self.not_reached {
            0 => String::new(),
            1 => " The backpack that is longest unused was not read.".to_owned(),
            count => format!(" The {count} backpacks that are longest unused were not read."),
        }
    }
}

fn within(all: Vec<(BackpackId, Duration)>, most: usize) -> Searched {
    let not_reached = all.len().saturating_sub(most);
    Searched { ids: all.into_iter().take(most).map(|(id, _)| id).collect(), not_reached }
}

#[cfg(test)]
mod tests {
    use super::{Duration, within};

    #[test]
    fn a_search_that_ends_early_says_how_many_it_did_not_read() {
        let all: Vec<_> = ["a", "b", "c"].map(|id| (id.parse().unwrap(), Duration::ZERO)).into();
        for (most, read, caveat) in [
            (3, 3, ""),
            (2, 2, " The backpack that is longest unused was not read."),
            (0, 0, " The 3 backpacks that are longest unused were not read."),
        ] {
            let searched = within(all.clone(), most);
            assert_eq!((searched.ids.len(), searched.caveat().as_str()), (read, caveat));
        }
    }
}
