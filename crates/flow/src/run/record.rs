//! What the runner itself notes in the backpack: how a run stands, and how far it is.
//!
//! *Invariants*: no node can read or change it, because the item is limited to the runner. It is packed after a
//! node's own commits, so whatever comes after it belongs to a node that did not finish.

use piton_backpack::{
    AccessControl, Action as Done, AsyncScope, Backpack, CommitId, Filter, Identity, Key, NodeId,
    PackOptions,
};
use piton_core::{Digest, RunId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::event::RunStatus;
use crate::state::State;

/// Who notes it.
pub(crate) const RUNNER: &str = "flow";

/// Where.
const KEY: &str = "flow.run";

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

    /// The commit that packed the record.
    pub(crate) async fn commit(state: &State) -> Result<Option<CommitId>, Error> {
        let key = Some(Key::parse(KEY).expect("the word is a short text"));
        let packed = Filter { key, action: Some(Done::Pack), ..Filter::default() };
        let history = state.history(&packed).await?;
        Ok(history.last().map(piton_backpack::Commit::id))
    }
}

/// The runner, as the backpack knows it.
pub(super) fn runner() -> Identity {
    Identity::new(RUNNER, RUNNER).expect("the word is a short text")
}

/// Notes records.
pub(crate) struct Notebook {
    scope: AsyncScope,
    options: PackOptions,
}

impl Notebook {
    pub(crate) fn open(state: &State) -> Result<Self, Error> {
        let only = AccessControl::only([NodeId::parse(RUNNER).expect("the word is a short text")]);
        let scope = state.scope(runner(), None)?;
        Ok(Self { scope, options: PackOptions::new().limited(only) })
    }

    pub(crate) async fn note(&self, record: &RunRecord) -> Result<(), Error> {
        // The item is limited to the runner, so nobody can refuse it to the runner.
        let _ = self.scope.pack_with(KEY, record, &self.options).await?;
        Ok(())
    }
}
