//! Finished entries of a batch, kept so that a resumed run does not repeat them.
//!
//! A batch posts when all of its entries are done, and each may have cost a call to a model. So each result goes into
//! the quarantine as soon as it is there: it is part of the trace, no node sees it, and undoing the changes of an
//! unfinished node leaves it alone.
//!
//! *Invariants*: a result is valid for the same visit of the same run, the same index, and an entry that is identical
//! to the byte. A visit is identified by the number of nodes that finished before it, according to the record of the
//! run, and inside a batch of flows also by the pass.
//!
//! *Limitations*: a result that is too large for the history is computed again.

use std::collections::BTreeMap;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use piton_core::{Digest, RunId, canonical};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::progress::VisitId;
use super::record::RunRecord;
use crate::flow::error::Error;
use crate::flow::event::RunStatus;
use crate::flow::flow_state::FlowState;
use crate::flow::node::BoxFuture;
use crate::{Action as Done, Error as BackpackError, Filter, Key, Scope};

/// The key for results in the quarantine.
const KEY: &str = "flow.item";

/// The result of one entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BatchItem {
    run: RunId,
    #[serde(flatten)]
    id: VisitId,
    index: usize,
    /// The digest of the entry that was executed.
    entry: Digest,
    result: Value,
}

/// Results that an earlier process left for the visit that it did not finish.
#[derive(Debug, Default)]
pub(super) struct DoneItems {
    items: BTreeMap<(VisitId, usize), (Digest, Value)>,
    /// Set when the run ended with a failure rather than with the death of its process.
    has_failed: bool,
}

impl DoneItems {
    /// Reads the results that the run left behind after the last node that finished.
    pub(super) async fn of(record: &RunRecord, state: &FlowState) -> Result<Self, Error> {
        let key = Some(Key::parse(KEY).expect("the word is a short text"));
        let kept = Filter { key, action: Some(Done::Quarantine), ..Filter::default() };
        let mut items = BTreeMap::new();
        for commit in state.history(&kept).await? {
            // A large value is in the store, not in the history; such an entry simply runs again.
            let item = commit.value().filter(|item| item.is_available());
            // A node may have put something of its own under that key.
            let item = item.and_then(|item| item.value::<BatchItem>().ok());
            if let Some(item) =
                item.filter(|item| item.run == record.run && item.id.is_within(record))
            {
                // Commits come oldest first, so the newest result of an entry wins.
                items.insert((item.id, item.index), (item.entry, item.result));
            }
        }
        let has_failed = record.status == RunStatus::Failed;
        Ok(Self { items, has_failed })
    }

    /// True if the results of all entries were there and the node failed with them. They are then computed again, since
    /// the caller resumes the run to get another outcome.
    pub(super) fn are_refused(&self, visit: &VisitId, entries: &[Value]) -> bool {
        let is_done = |(index, entry)| self.get(visit, index, entry).is_some();
        self.has_failed && entries.iter().enumerate().all(is_done)
    }

    /// Returns the result of an entry, if it is there.
    pub(super) fn get(&self, visit: &VisitId, index: usize, entry: &Value) -> Option<&Value> {
        let (digest, result) = self.items.get(&(visit.clone(), index))?;
        // The entries may differ this time; an index alone does not identify the work.
        (digest_of(entry)? == *digest).then_some(result)
    }
}

/// Keeps the result of an entry. A result that cannot be stored is skipped: handling it is up to the node.
pub(super) async fn keep(
    scope: &Scope,
    (run, visit): (RunId, &VisitId),
    (index, entry): (usize, &Value),
    result: &Value,
) -> Result<(), Error> {
    // Both need a canonical form: the entry to be recognized again, the result to be stored.
    let Some(digest) = digest_of(entry).filter(|_| canonical::encode(result).is_ok()) else {
        return Ok(());
    };
    let item = BatchItem { run, id: visit.clone(), index, entry: digest, result: result.clone() };
    let reason =
        format!("entry {index} of the batch is done; for the trace, and for a resumed run");
    match scope.quarantine_value(KEY, &item, &reason) {
        // A value that is never in use needs no permission, so this cannot be refused.
        Ok(outcome) => Ok(scope.saved(outcome).await.map(drop)?),
        Err(BackpackError::ValueTooLarge { .. } | BackpackError::TooDeep { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn digest_of(entry: &Value) -> Option<Digest> {
    canonical::encode(entry).ok().map(|bytes| Digest::of(&bytes))
}

/// Runs `count` pieces of work, at most `max` at once. After a failure no further piece starts, and those in progress
/// finish, so that their results are not lost. The reported failure is the first one in order.
pub(super) async fn in_order<'a, T>(
    count: usize,
    max: usize,
    piece: impl Fn(usize) -> BoxFuture<'a, Result<T, Error>>,
) -> Result<Vec<T>, Error> {
    let mut under_way = FuturesOrdered::new();
    let mut results = Vec::with_capacity(count);
    let mut failure = None;
    let mut begun = 0;
    loop {
        // A failure stops the supply, but the loop continues until everything in progress has ended.
        while failure.is_none() && begun < count && under_way.len() < max {
            under_way.push_back(piece(begun));
            begun += 1;
        }
        match under_way.next().await {
            Some(Ok(result)) => results.push(result),
            Some(Err(error)) => failure = failure.or(Some(error)),
            None => return failure.map_or(Ok(results), Err),
        }
    }
}
