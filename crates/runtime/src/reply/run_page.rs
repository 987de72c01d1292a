//! Runs that were found, with counts.

use piton_store::index::Excerpt;
use piton_store::port::{Facet, IndexVersion};
use piton_workflow::projection::RunSummary;
use schemars::JsonSchema;
use serde::Serialize;

use crate::run_query::QueryProblem;

/// A run that was found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundRun {
    /// The run, without the notes at its tip and the titles of its steps.
    pub run: RunSummary,
    /// Where it has the words that were searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<Excerpt>,
}

/// Some of the runs that match a query, with counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunPage {
    pub runs: Vec<FoundRun>,
    /// Number of runs before the first of these.
    pub from: u64,
    /// Number of all runs that match.
    pub total: u64,
    /// How many of them have each status, workflow and branch.
    pub facets: Vec<Facet>,
    /// Number of sessions that cannot be read. Their runs are not among these.
    pub unreadable: u64,
    /// Number of sessions whose newest state could not be indexed, for example because the disk is full.
    #[serde(skip_serializing_if = "is_zero")]
    pub unindexed: usize,
    /// Set when this process has followed every session at least once. Until then, runs may be missing.
    pub is_caught_up: bool,
    /// The state of the index that this is from; nothing if the query was not understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<IndexVersion>,
    /// What was not understood of the query. If there is anything, no run was looked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<QueryProblem>,
}

/// The runs that have the words that were searched for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchResults {
    /// The runs, that with the newest event first.
    pub runs: Vec<FoundRun>,
    /// Number of runs before the first of these.
    pub from: u64,
    /// Number of all runs that match.
    pub total: u64,
    /// The state of the index that this is from; nothing if there was no word to search for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<IndexVersion>,
}

/// The result of following every session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaughtUpRuns {
    pub sessions: usize,
    /// Number of sessions whose events were read, because something was appended to them.
    pub read: usize,
    /// Number of sessions that cannot be read.
    pub unreadable: usize,
    /// Number of sessions whose newest state could not be indexed.
    pub unindexed: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}
