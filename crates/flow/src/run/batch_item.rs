//! Entries of a batch that are done, kept so that a run which is resumed does not repeat them.
//!
//! A batch posts when all of its entries are done, and each may have cost a call of a model. So the result of each is
//! put into the quarantine as it comes: it is in the trace, no node sees it, and taking back what an unfinished node has
//! changed leaves it alone.
//!
//! *Invariants*: a result counts for the same visit of the same run, the same number, and an entry that is the same to
//! the byte. The visit is known by how many nodes finished before it, which the record of the run says, and inside a
//! batch of flows by the pass.
//!
//! *Limitations*: a result that is too large for the history is made again.

use std::collections::BTreeMap;

use piton_backpack::{Action as Done, AsyncScope, Error as BackpackError, Filter, Key};
use piton_core::{Digest, RunId, canonical};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::progress::VisitId;
use super::record::RunRecord;
use crate::error::Error;
use crate::event::RunStatus;
use crate::flow_state::FlowState;

/// Where results are kept.
const KEY: &str = "flow.item";

/// The result of one entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BatchItem {
    run: RunId,
    #[serde(flatten)]
    id: VisitId,
    index: usize,
    /// What was executed.
    entry: Digest,
    result: Value,
}

/// Results that an earlier process left for the visit that it did not finish.
#[derive(Debug, Default)]
pub(super) struct DoneItems {
    items: BTreeMap<(VisitId, usize), (Digest, Value)>,
    /// Whether the run ended with a failure, and not because its process died.
    has_failed: bool,
}

impl DoneItems {
    /// Reads the results that the run left behind after the last node that finished.
    pub(super) async fn of(record: &RunRecord, state: &FlowState) -> Result<Self, Error> {
        let key = Some(Key::parse(KEY).expect("the word is a short text"));
        let kept = Filter { key, action: Some(Done::Quarantine), ..Filter::default() };
        let mut items = BTreeMap::new();
        for commit in state.history(&kept).await? {
            let item = commit.value().filter(|item| item.is_available());
            // A node may have put something of its own under that key.
            let item = item.and_then(|item| item.value::<BatchItem>().ok());
            if let Some(item) =
                item.filter(|item| item.run == record.run && item.id.is_within(record))
            {
                items.insert((item.id, item.index), (item.entry, item.result));
            }
        }
        let has_failed = record.status == RunStatus::Failed;
        Ok(Self { items, has_failed })
    }

    /// Whether the results of all entries were there and the node failed with them. Then they are made again: whoever
    /// resumes the run wants something else to happen.
    pub(super) fn are_refused(&self, visit: &VisitId, entries: &[Value]) -> bool {
        let is_done = |(index, entry)| self.get(visit, index, entry).is_some();
        self.has_failed && entries.iter().enumerate().all(is_done)
    }

    /// The result of an entry, if it is there.
    pub(super) fn get(&self, visit: &VisitId, index: usize, entry: &Value) -> Option<&Value> {
        let (digest, result) = self.items.get(&(visit.clone(), index))?;
        (digest_of(entry)? == *digest).then_some(result)
    }
}

/// Keeps the result of an entry. One that cannot be stored is not kept: what becomes of it is for the node to say.
pub(super) async fn keep(
    scope: &AsyncScope,
    (run, visit): (RunId, &VisitId),
    (index, entry): (usize, &Value),
    result: &Value,
) -> Result<(), Error> {
    let Some(digest) = digest_of(entry).filter(|_| canonical::encode(result).is_ok()) else {
        return Ok(());
    };
    let item = BatchItem { run, id: visit.clone(), index, entry: digest, result: result.clone() };
    let reason =
        format!("entry {index} of the batch is done; for the trace, and for a resumed run");
    match scope.quarantine_value(KEY, &item, &reason).await {
        // A value that was never in use can be refused to nobody.
        Ok(_) | Err(BackpackError::ValueTooLarge { .. } | BackpackError::TooDeep { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn digest_of(entry: &Value) -> Option<Digest> {
    canonical::encode(entry).ok().map(|bytes| Digest::of(&bytes))
}
