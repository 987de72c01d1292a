//! Resolution of the point in a backpack's history that a person names.

use piton_backpack::{Backpack, CommitId, NodeId};
use piton_core::{Code, Envelope, truncate};

pub(super) use crate::backpack::short;
use crate::bounds::{NAMES_LISTED_MAX, PATH_QUOTED_BYTES_MAX};
use crate::nearest::nearest;

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
pub(super) fn find(
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
    let all = debug.history(&piton_backpack::Filter::default());
    let all = all.map_err(|error| error.envelope())?;
    let text = text.trim();
    // The short form is `c` followed by the commit number in hexadecimal.
    let numbered = text.strip_prefix('c').and_then(|hex| u64::from_str_radix(hex, 16).ok());
    // The number is unique within one backpack. A full id must match completely.
    let found = all.iter().map(piton_backpack::Commit::id).find(|id| match numbered {
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
    let found = NodeId::parse(node)
        .map_err(piton_backpack::Error::from)
        .and_then(|node| backpack.snapshot_before_node(&node));
    match found {
        // A snapshot records the commit that it was taken at as its origin; `None` means before the first commit.
        Ok(snapshot) => Ok(snapshot.origin().and_then(|origin| origin.commit)),
        Err(piton_backpack::Error::UnknownNode { .. }) => Err(unknown_node(backpack, node)),
        Err(error) => Err(error.envelope()),
    }
}

fn unknown_node(backpack: &Backpack, node: &str) -> Envelope {
    let shown = truncate(node, PATH_QUOTED_BYTES_MAX);
    let message = format!("No commit of `{}` is by a node `{shown}`.", backpack.id());
    let commits = backpack.debug().history(&piton_backpack::Filter::default());
    let commits = commits.unwrap_or_default();
    let nodes: std::collections::BTreeSet<&str> =
        commits.iter().map(|commit| commit.author().id.as_str()).collect();
    let close = nearest(node, nodes.iter().copied());
    let suggestion = if close.is_empty() {
        let named: Vec<&str> = nodes.into_iter().take(NAMES_LISTED_MAX).collect();
        format!("Nodes that acted: {}.", named.join(", "))
    } else {
        format!("Did you mean {}?", close.join(" or "))
    };
    Envelope::new(Code::BackpackUnknownCommit, message).with_suggestion(suggestion)
}
