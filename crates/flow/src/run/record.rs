//! What the runner itself notes in the backpack: how a run stands, how far it is, and the description of its flow.
//!
//! *Invariants*: no node can read or change it, because the items are limited to the runner. The record is packed after
//! a node's own commits, so whatever comes after it belongs to a node that did not finish; the description is packed
//! before the first record of its run.

use piton_backpack::{
    AccessControl, Action as Done, AsyncScope, Backpack, CommitId, Error as BackpackError, Filter,
    Key, NodeId, NodeIdentity, PackOptions,
};
use piton_core::{Digest, RunId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::progress::{KEY as PASSES, PassNote};
use crate::error::Error;
use crate::event::RunStatus;
use crate::flow_state::FlowState;
use crate::graph::{Flow, digest};

/// Who notes it, as the backpack names them.
pub const RUNNER: &str = NodeIdentity::FLOW_RUNNER;

/// Where.
pub(super) const KEY: &str = "flow.run";

/// Where the description of the flow is kept.
const DESCRIPTION: &str = "flow.description";

/// The version of the record.
const VERSION: u32 = 1;

/// How a run stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunRecord {
    version: u32,
    /// Which run.
    pub run: RunId,
    /// The digest of its flow's description.
    pub flow: Digest,
    /// How it stands.
    pub status: RunStatus,
    /// How many nodes it visited.
    pub steps: u64,
    /// What it was started with.
    pub params: Map<String, Value>,
    /// The last node that finished.
    pub finished: Option<Finished>,
    /// How many nodes finished.
    #[serde(default)]
    pub nodes_finished: u64,
    /// Commits of nodes that did not finish because the process died; what they changed was taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub abandoned: Vec<Abandoned>,
}

/// A node that finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Finished {
    /// The ids from the outermost flow to the node.
    pub path: Vec<String>,
    /// The condition with which it ended; none means that it ended its flow.
    pub condition: Option<String>,
}

/// Commits of a node that did not finish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Abandoned {
    /// The first of them.
    pub first: CommitId,
    /// The last of them.
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

    /// The record of the last run on a backpack, if there was one.
    pub fn of(backpack: &Backpack) -> Result<Option<Self>, Error> {
        let record: Option<Self> = backpack.debug().peek(KEY)?;
        match record {
            Some(record) if record.version != VERSION => Err(Error::NotResumable {
                reason: format!(
                    "its record has version {}, and {VERSION} is known",
                    record.version
                ),
            }),
            other => Ok(other),
        }
    }

    /// The description of the flow that the run began with, as the run kept it. Absent if it kept none.
    pub fn description(&self, backpack: &Backpack) -> Result<Option<Value>, Error> {
        let debug = backpack.debug();
        let is_meant = |value: &Value| digest(value) == self.flow;
        if let Some(value) = debug.peek(DESCRIPTION)?.filter(is_meant) {
            return Ok(Some(value));
        }
        // A later run may have kept its own before it died.
        for commit in debug.key_history(DESCRIPTION)?.iter().rev() {
            let item = commit.value().filter(|item| item.is_available());
            let value = item.map(piton_backpack::Item::value).transpose()?;
            if let Some(value) = value.filter(is_meant) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// Every record of the last run that is in memory, oldest first, with the commit that packed it.
    pub(super) fn all(backpack: &Backpack) -> Result<Vec<(CommitId, Self)>, Error> {
        let Some(last) = Self::of(backpack)? else { return Ok(Vec::new()) };
        let mut records = Vec::new();
        for commit in backpack.debug().key_history(KEY)? {
            let item = commit.value().filter(|item| item.is_available());
            let record: Option<Self> = item.map(piton_backpack::Item::value).transpose()?;
            records.extend(record.filter(|one| one.run == last.run).map(|one| (commit.id(), one)));
        }
        Ok(records)
    }

    /// The commits between which nodes may have left something unfinished: the last record of a run under way, and the
    /// record of how it ended, if it did.
    pub(crate) async fn unfinished(
        state: &FlowState,
    ) -> Result<Option<(CommitId, Option<CommitId>)>, Error> {
        let key = Some(Key::parse(KEY).expect("the word is a short text"));
        let packed = Filter { key, action: Some(Done::Pack), ..Filter::default() };
        let mut end = None;
        for commit in state.history(&packed).await?.iter().rev() {
            let item = commit.value().filter(|item| item.is_available());
            let record: Option<Self> = item.map(piton_backpack::Item::value).transpose()?;
            let is_under_way = record.is_none_or(|record| record.status == RunStatus::Running);
            // Memory may no longer hold what keys held before the run.
            if is_under_way || !state.is_durable() {
                return Ok(Some((commit.id(), end)));
            }
            // The run ended with the first of them.
            end = Some(commit.id());
        }
        Ok(None)
    }
}

/// The runner, as the backpack knows it.
pub(super) fn runner() -> NodeIdentity {
    NodeIdentity::new(RUNNER, RUNNER).expect("the word is a short text")
}

/// Notes records.
pub(crate) struct Notebook {
    scope: AsyncScope,
    options: PackOptions,
}

impl Notebook {
    pub(crate) fn open(state: &FlowState) -> Result<Self, Error> {
        let only = AccessControl::only([NodeId::parse(RUNNER).expect("the word is a short text")]);
        let scope = state.scope(runner(), None)?;
        Ok(Self { scope, options: PackOptions::new().limited(only) })
    }

    /// Keeps the description of a flow, unless it is kept already.
    pub(crate) async fn keep(&self, state: &FlowState, flow: &Flow) -> Result<(), Error> {
        let (description, kept) = (flow.to_json(), state.backpack().debug().peek(DESCRIPTION)?);
        if kept.as_ref() != Some(&description) {
            // The item is limited to the runner, so nobody can refuse it to the runner.
            let _ = self.scope.pack_with(DESCRIPTION, &description, &self.options).await?;
        }
        Ok(())
    }

    /// Keeps what is known about passes of a batch.
    pub(super) async fn note_passes(&self, notes: &[PassNote]) -> Result<(), BackpackError> {
        for note in notes {
            // The item is limited to the runner, so nobody can refuse it to the runner.
            let _ = self.scope.pack_with(PASSES, note, &self.options).await?;
        }
        Ok(())
    }

    pub(crate) async fn note(&self, record: &RunRecord) -> Result<(), Error> {
        // The item is limited to the runner, so nobody can refuse it to the runner.
        let _ = self.scope.pack_with(KEY, record, &self.options).await?;
        Ok(())
    }
}
