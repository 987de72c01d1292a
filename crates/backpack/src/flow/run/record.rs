//! Notes of the runner in the backpack: the status of a run, its progress, and the description of its flow.
//!
//! *Invariants*: no node can read or change these notes, because access to the items is limited to the runner. The
//! record is packed after a node's own commits, so everything after it belongs to a node that did not finish. The
//! description is packed before the first record of its run.

use piton_core::{Digest, RunId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::progress::{KEY as PASSES, PassNote};
use crate::flow::error::Error;
use crate::flow::event::RunStatus;
use crate::flow::flow_state::FlowState;
use crate::flow::graph::{Flow, digest};
use crate::{
    AccessControl, Action as Done, Backpack, CommitId, Error as BackpackError, Filter, Key, NodeId,
    NodeIdentity, PackOptions, Scope,
};

/// The name of the runner in the backpack.
pub const RUNNER: &str = NodeIdentity::FLOW_RUNNER;

/// The key for the record.
pub(super) const KEY: &str = "flow.run";

/// The key for the description of the flow.
const DESCRIPTION: &str = "flow.description";

/// The version of the record.
const VERSION: u32 = 1;

/// The record of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunRecord {
    version: u32,
    pub run: RunId,
    /// The digest of its flow's description.
    pub flow: Digest,
    pub status: RunStatus,
    /// Number of nodes that the run visited.
    pub steps: u64,
    /// The parameters that the run was started with.
    pub params: Map<String, Value>,
    /// The last node that finished.
    pub finished: Option<Finished>,
    /// Number of nodes that finished.
    #[serde(default)]
    pub nodes_finished: u64,
    /// Commits of nodes that did not finish because the process died. Their changes were undone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub abandoned: Vec<Abandoned>,
}

/// A node that finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Finished {
    /// The ids from the outermost flow to the node.
    pub path: Vec<String>,
    /// The condition with which it ended; absent if it ended its flow.
    pub condition: Option<String>,
}

/// A range of commits by nodes that did not finish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Abandoned {
    pub first: CommitId,
    pub last: CommitId,
}

impl RunRecord {
    pub(crate) const fn new(run: RunId, flow: Digest, params: Map<String, Value>) -> Self {
        Self {
            version: VERSION,
            run,
            flow,
            status: RunStatus::Running,
            steps: 0,
            params,
            finished: None,
            nodes_finished: 0,
            abandoned: Vec::new(),
        }
    }

    /// Returns the record of the last run on a backpack, if there was one.
    pub fn of(backpack: &Backpack) -> Result<Option<Self>, Error> {
        let record: Option<Self> = backpack.debug().peek(KEY)?;
        match record {
            Some(record) if record.version != VERSION => Err(Error::not_resumable(format!(
                "its record has version {}, and {VERSION} is known",
                record.version
            ))),
            other => Ok(other),
        }
    }

    /// Returns the record of the last run on a backpack, which there must be.
    pub(super) fn last(backpack: &Backpack) -> Result<Self, Error> {
        Self::of(backpack)?.ok_or_else(Self::none)
    }

    pub(super) fn none() -> Error {
        Error::not_resumable("no flow has run on this backpack")
    }

    /// Returns the description of the flow that the run began with, if the run kept it.
    pub fn description(&self, backpack: &Backpack) -> Result<Option<Value>, Error> {
        let debug = backpack.debug();
        let is_meant = |value: &Value| digest(value) == self.flow;
        // Usually it is the current description. The digest tells.
        if let Some(value) = debug.peek(DESCRIPTION)?.filter(is_meant) {
            return Ok(Some(value));
        }
        // A later run may have stored its own description and died before its first record.
        for commit in debug.key_history(DESCRIPTION)?.iter().rev() {
            let item = commit.value().filter(|item| item.is_available());
            let value = item.map(crate::Item::value).transpose()?;
            if let Some(value) = value.filter(is_meant) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// Returns all records of the last run that are in memory, oldest first, with the commits that packed them.
    pub(super) fn all(backpack: &Backpack) -> Result<Vec<(CommitId, Self)>, Error> {
        let Some(last) = Self::of(backpack)? else { return Ok(Vec::new()) };
        let mut records = Vec::new();
        for commit in backpack.debug().key_history(KEY)? {
            let item = commit.value().filter(|item| item.is_available());
            let record: Option<Self> = item.map(crate::Item::value).transpose()?;
            records.extend(record.filter(|one| one.run == last.run).map(|one| (commit.id(), one)));
        }
        Ok(records)
    }

    /// Returns the nodes that finished in the last run, in order, as far as memory reaches back.
    pub fn visits(backpack: &Backpack) -> Result<Vec<Finished>, Error> {
        let (mut visits, mut count) = (Vec::new(), 0);
        for (_, record) in Self::all(backpack)? {
            // Records are also written without a node having finished: at the beginning and at the end.
            if record.nodes_finished > count {
                count = record.nodes_finished;
                visits.extend(record.finished);
            }
        }
        Ok(visits)
    }

    /// Returns the commits between which nodes may have left something unfinished: the last record of a run in
    /// progress, and the record of its end, if it ended.
    pub(crate) async fn unfinished(
        state: &FlowState,
    ) -> Result<Option<(CommitId, Option<CommitId>)>, Error> {
        let key = Some(Key::parse(KEY).expect("the word is a short text"));
        let packed = Filter { key, action: Some(Done::Pack), ..Filter::default() };
        let mut end = None;
        // Newest first: the records at the end that say the run is over come before the last one in progress.
        for commit in state.history(&packed).await?.iter().rev() {
            let item = commit.value().filter(|item| item.is_available());
            let record: Option<Self> = item.map(crate::Item::value).transpose()?;
            let is_under_way = record.is_none_or(|record| record.status == RunStatus::Running);
            // Without a journal, memory may no longer reach back to the run, so stop at the last record.
            if is_under_way || !state.is_durable() {
                return Ok(Some((commit.id(), end)));
            }
            // Several records may say that the run ended. It ended with the first of them, which this loop visits last.
            end = Some(commit.id());
        }
        Ok(None)
    }
}

/// Returns the identity of the runner.
pub(super) fn runner() -> NodeIdentity {
    NodeIdentity::new(RUNNER, RUNNER).expect("the word is a short text")
}

/// Stores the records of a run.
pub(crate) struct Notebook {
    scope: Scope,
    options: PackOptions,
}

impl Notebook {
    pub(crate) fn open(state: &FlowState) -> Result<Self, Error> {
        let only = AccessControl::only([NodeId::parse(RUNNER).expect("the word is a short text")]);
        let scope = state.scope(runner(), None)?;
        Ok(Self { scope, options: PackOptions::new().limited(only) })
    }

    /// Stores the description of a flow, unless it is already there.
    pub(crate) async fn keep(&self, state: &FlowState, flow: &Flow) -> Result<(), Error> {
        let (description, kept) = (flow.to_json(), state.backpack().debug().peek(DESCRIPTION)?);
        // Packing an equal description again would only lengthen the history.
        if kept.as_ref() != Some(&description) {
            self.pack(DESCRIPTION, &description).await?;
        }
        Ok(())
    }

    /// Stores notes about passes of a batch.
    pub(super) async fn note_passes(&self, notes: &[PassNote]) -> Result<(), BackpackError> {
        for note in notes {
            self.pack(PASSES, note).await?;
        }
        Ok(())
    }

    pub(crate) async fn note(&self, record: &RunRecord) -> Result<(), Error> {
        Ok(self.pack(KEY, record).await?)
    }

    async fn pack<T: Serialize + Sync>(&self, key: &str, value: &T) -> Result<(), BackpackError> {
        // The item is limited to the runner, so the runner is never refused.
        self.scope.saved(self.scope.pack_with(key, value, &self.options)?).await.map(drop)
    }
}
