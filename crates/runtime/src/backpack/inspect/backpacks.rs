//! The entry point for inspecting backpacks, and the list of them.

use std::time::Duration;

use piton_backpack::flow::run::RUNNER;
use piton_backpack::flow::{RunRecord, RunStatus};
use piton_backpack::journal::{JournalPorts, read, read_at};
use piton_backpack::{Backpack, BackpackId, BackpackOrigin, CommitId};
use piton_core::{Digest, Envelope, RunId, TimestampMs};
use piton_store::Error;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::reference::{BackpackReference, short_id};
use crate::bounds::BACKPACKS_LISTED_MAX;
use crate::page::Page;

/// Backpacks as their owner sees them.
pub struct Backpacks {
    pub(super) ports: JournalPorts,
}

/// Visibility of protected values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reveal {
    /// Only their size is shown.
    #[default]
    Nothing,
    /// They are shown in full, because a person asked for it.
    Protected,
}

/// A list of backpacks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackpackList {
    /// Most recently written first.
    pub backpacks: Vec<BackpackLine>,
    /// Backpacks that cannot be read.
    pub troubled: Vec<TroubledBackpack>,
    /// Number of older backpacks left out.
    pub left_out: usize,
}

/// One backpack in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackpackLine {
    pub id: BackpackId,
    /// The start of the id that is enough to name the backpack.
    pub short: String,
    /// Time of the last write; absent if nothing was ever committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_ms: Option<TimestampMs>,
    /// Number of keys in use.
    pub keys: usize,
    pub commits: u64,
    /// The backpack and commit that it was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<BackpackOrigin>,
    /// The last run of a flow on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<FlowRunLine>,
}

/// A run of a flow.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowRunLine {
    pub run_id: RunId,
    /// Namespace of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    /// Digest of the flow's description.
    pub digest: Digest,
    pub status: RunStatus,
    /// Number of nodes visited.
    pub steps: u64,
    /// The last node that finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_node: Option<String>,
}

/// A backpack that cannot be read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TroubledBackpack {
    pub id: BackpackId,
    pub trouble: Envelope,
}

impl Backpacks {
    /// Inspects the backpacks behind these ports.
    pub fn new(ports: JournalPorts) -> Self {
        Self { ports }
    }

    /// Returns the ports that the backpacks are read through.
    pub(crate) fn ports(&self) -> &JournalPorts {
        &self.ports
    }

    /// Reads the backpack that a person refers to, with its whole history.
    pub(super) async fn open(&self, reference: &BackpackReference) -> Result<Backpack, Envelope> {
        let id = self.meant(reference).await?;
        self.read(&id).await
    }

    pub(crate) async fn read(&self, id: &BackpackId) -> Result<Backpack, Envelope> {
        let JournalPorts { journal, blobs, ports } = &self.ports;
        Ok(read(&**journal, &**blobs, id, ports.clone()).await?.0)
    }

    /// Returns the state after a commit, with every value loaded. Without a commit, the backpack is taken as it is: it
    /// has none yet.
    pub(super) async fn at_commit(
        &self,
        backpack: &Backpack,
        commit: Option<CommitId>,
    ) -> Result<Backpack, Envelope> {
        let Some(commit) = commit else { return Ok(backpack.fork()) };
        Ok(read_at(backpack, commit, &*self.ports.blobs).await?)
    }

    /// Lists backpacks, most recently written first.
    pub async fn list(&self, page: Page) -> Result<BackpackList, Envelope> {
        let (all, left_out) = page.of(self.newest().await?, BACKPACKS_LISTED_MAX);
        let mut list = BackpackList { backpacks: Vec::new(), troubled: Vec::new(), left_out };
        for (id, _) in all {
            // One damaged backpack must not hide the others, so its error becomes a line of the list.
            let line = match self.read(&id).await {
                Ok(backpack) => line(&backpack),
                Err(trouble) => Err(trouble),
            };
            match line {
                Ok(line) => list.backpacks.push(line),
                Err(trouble) => list.troubled.push(TroubledBackpack { id, trouble }),
            }
        }
        Ok(list)
    }

    /// Returns the names of all backpacks.
    pub(crate) async fn names(&self) -> Result<Vec<String>, Envelope> {
        let streams = self.ports.journal.streams().await.map_err(|error| error.envelope())?;
        Ok(streams.iter().map(|stream| stream.as_str().to_owned()).collect())
    }

    /// Returns every backpack with the time since its last write, newest first.
    pub(super) async fn newest(&self) -> Result<Vec<(BackpackId, Duration)>, Envelope> {
        let journal = &*self.ports.journal;
        let mut all = Vec::new();
        for stream in journal.streams().await.map_err(|error| error.envelope())? {
            match journal.age(&stream).await {
                Ok(age) => all.push((BackpackId::from(stream), age)),
                // Deleted since the streams were listed.
                Err(Error::NotFound { .. }) => {}
                // The error surfaces when this one is read. Listed last, it does not hide the backpacks that work.
                Err(_) => all.push((BackpackId::from(stream), Duration::MAX)),
            }
        }
        all.sort_by(|(left, younger), (right, older)| younger.cmp(older).then(left.cmp(right)));
        Ok(all)
    }
}

fn line(backpack: &Backpack) -> Result<BackpackLine, Envelope> {
    let debug = backpack.debug();
    let items = debug.items().into_iter().filter(|item| item.source().id.as_str() != RUNNER);
    let last = backpack.head().map(|head| debug.commit(head)).transpose()?;
    Ok(BackpackLine {
        id: backpack.id().clone(),
        short: short_id(backpack.id()),
        last_ms: last.map(|commit| commit.timestamp()),
        keys: items.count(),
        commits: debug.commit_count(),
        origin: backpack.origin().cloned(),
        run: run(backpack)?,
    })
}

/// Returns the last run on a backpack.
fn run(backpack: &Backpack) -> Result<Option<FlowRunLine>, Envelope> {
    let Some(record) = RunRecord::of(backpack)? else { return Ok(None) };
    let description = record.description(backpack)?;
    let name = |flow: &Value| flow.get("namespace").and_then(Value::as_str).map(str::to_owned);
    Ok(Some(FlowRunLine {
        run_id: record.run,
        flow: description.as_ref().and_then(name),
        digest: record.flow,
        status: record.status,
        steps: record.steps,
        last_node: record.finished.map(|finished| finished.path.join("/")),
    }))
}
