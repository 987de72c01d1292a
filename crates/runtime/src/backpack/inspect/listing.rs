//! The list of backpacks.

use std::time::Duration;

use piton_backpack::flow::RunRecord;
use piton_backpack::flow::run::RUNNER;
use piton_backpack::{Backpack, BackpackId};
use piton_core::Envelope;
use piton_store::Error;
use serde_json::Value;

use super::backpacks::Backpacks;
use super::reference::short;
use super::reply::{BackpackLine, BackpackList, RunLine, TroubledBackpack};
use crate::bounds::BACKPACKS_LISTED_MAX;

impl Backpacks {
    /// Lists every backpack, most recently written first.
    pub async fn list(&self) -> Result<BackpackList, Envelope> {
        let all = self.newest().await?;
        let left_out = all.len().saturating_sub(BACKPACKS_LISTED_MAX);
        let mut list = BackpackList { backpacks: Vec::new(), troubled: Vec::new(), left_out };
        for (id, _) in all.into_iter().take(BACKPACKS_LISTED_MAX) {
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
    let last = backpack.head().map(|head| debug.commit(head)).transpose();
    let last = last.map_err(|error| error.envelope())?;
    Ok(BackpackLine {
        id: backpack.id().clone(),
        short: short(backpack.id()),
        last_ms: last.map(|commit| commit.timestamp()),
        keys: items.count(),
        commits: debug.commit_count(),
        origin: backpack.origin().cloned(),
        run: run(backpack)?,
    })
}

/// Returns the last run on a backpack.
fn run(backpack: &Backpack) -> Result<Option<RunLine>, Envelope> {
    let record = RunRecord::of(backpack).map_err(|error| error.envelope())?;
    let Some(record) = record else { return Ok(None) };
    let description = record.description(backpack).map_err(|error| error.envelope())?;
    let name = |flow: &Value| flow.get("namespace").and_then(Value::as_str).map(str::to_owned);
    Ok(Some(RunLine {
        run_id: record.run,
        flow: description.as_ref().and_then(name),
        digest: record.flow,
        status: record.status,
        steps: record.steps,
        last_node: record.finished.map(|finished| finished.path.join("/")),
    }))
}
