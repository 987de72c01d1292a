//! Requests of the page about backpacks, files and context.

use piton_runtime::backpack::inspect::{BackpackReference, LogFilter, PointReference};
use piton_runtime::page::Page;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounds::LIMIT_MAX;

/// A page of a list.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SomeEntries {
    /// Number of entries before the first.
    #[serde(default)]
    from: usize,
    limit: Option<usize>,
}

impl SomeEntries {
    pub(crate) fn page(self) -> Page {
        page(self.from, self.limit)
    }
}

/// Names a backpack, and a page of what is in it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OneBackpack {
    backpack: String,
    /// The commit after which it is shown; the newest, if it is left out.
    at: Option<String>,
    /// The key whose versions are meant, where that makes a difference.
    pub(crate) key: Option<String>,
    /// Number of entries before the first.
    #[serde(default)]
    from: usize,
    limit: Option<usize>,
}

impl OneBackpack {
    pub(crate) fn reference(&self) -> BackpackReference {
        BackpackReference(self.backpack.clone())
    }

    pub(crate) fn point(&self) -> PointReference {
        point(self.at.as_deref())
    }

    pub(crate) fn page(&self) -> Page {
        page(self.from, self.limit)
    }
}

/// Selects commits of a backpack.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SomeCommits {
    backpack: String,
    /// Only commits of this node.
    node: Option<String>,
    /// Only commits of this key.
    key: Option<String>,
    /// Set to see commits that change nothing too.
    #[serde(default)]
    notes: bool,
    /// The `next` of the page before.
    before: Option<String>,
    limit: Option<usize>,
}

impl SomeCommits {
    pub(crate) fn reference(&self) -> BackpackReference {
        BackpackReference(self.backpack.clone())
    }

    /// Returns the filter. A text that is no node or key selects nothing, as one that does not occur.
    pub(crate) fn filter(&self) -> LogFilter {
        LogFilter {
            node: self.node.as_deref().and_then(|node| node.parse().ok()),
            key: self.key.as_deref().and_then(|key| key.parse().ok()),
            action: None,
            notes: self.notes,
            before: self.before.clone(),
            limit: self.limit.unwrap_or(LIMIT_MAX),
        }
    }
}

/// Names two moments of a backpack.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TwoMoments {
    backpack: String,
    /// The commit of the earlier one.
    before: Option<String>,
    /// The commit of the later one; the newest, if it is left out.
    after: Option<String>,
}

impl TwoMoments {
    pub(crate) fn reference(&self) -> BackpackReference {
        BackpackReference(self.backpack.clone())
    }

    pub(crate) fn points(&self) -> (PointReference, PointReference) {
        (point(self.before.as_deref()), point(self.after.as_deref()))
    }
}

/// Names a value of a backpack.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OneItem {
    backpack: String,
    pub(crate) key: String,
    /// The commit after which it is shown; the newest, if it is left out.
    at: Option<String>,
    /// The byte of its text to begin with.
    #[serde(default)]
    pub(crate) from_byte: usize,
}

impl OneItem {
    pub(crate) fn reference(&self) -> BackpackReference {
        BackpackReference(self.backpack.clone())
    }

    pub(crate) fn point(&self) -> PointReference {
        point(self.at.as_deref())
    }
}

/// Names a path as agents write it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OnePath {
    pub(crate) path: String,
}

/// Names a page of the changes of an overlay.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SomeChanges {
    pub(crate) overlay: String,
    /// Number of changes before the first.
    #[serde(default)]
    pub(crate) from: usize,
    limit: Option<usize>,
}

impl SomeChanges {
    pub(crate) fn limit(&self) -> usize {
        self.limit.unwrap_or(LIMIT_MAX)
    }
}

/// Names a path that an overlay changed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OneChange {
    pub(crate) overlay: String,
    pub(crate) path: String,
}

fn point(commit: Option<&str>) -> PointReference {
    commit.map_or(PointReference::Newest, |commit| PointReference::Commit(commit.to_owned()))
}

fn page(from: usize, limit: Option<usize>) -> Page {
    Page { from, limit: limit.unwrap_or(LIMIT_MAX) }
}
