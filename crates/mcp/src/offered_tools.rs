//! Which tools an agent is offered now, and telling it when that is something else.
//!
//! What the steps leave that its runs are at decides: a tool is listed if it can be of use at one of them. A call is
//! refused or not by its own step, whatever is listed.
//!
//! *Limitations*: a run that another process moves changes the list without a notice.

use std::sync::{Mutex, PoisonError};

use piton_core::{Envelope, SessionId};
use piton_runtime::StepAccess;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, ProtocolVersion};
use rmcp::service::{RequestContext, SubscriptionContext};
use tokio::sync::watch;

use crate::catalogue::ToolCard;
use crate::sets::{ToolReply, ToolSet};

/// What the steps leave that the open runs of an agent are at.
pub(crate) type Left = Vec<(SessionId, Option<StepAccess>)>;

/// What an agent knows of its tools.
#[derive(Debug)]
pub(crate) struct OfferedTools {
    /// What steps left when it was told last.
    told: Mutex<Vec<Option<StepAccess>>>,
    /// Counts changes, for those who listen.
    changes: watch::Sender<u64>,
}

impl Default for OfferedTools {
    fn default() -> Self {
        Self { told: Mutex::new(distinct(&Vec::new())), changes: watch::Sender::new(0) }
    }
}

impl OfferedTools {
    /// Takes note of what steps leave now, and says whether that is something else than before.
    pub(crate) fn note(&self, left: &Left) -> bool {
        let now = distinct(left);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let is_other = *told != now;
        *told = now;
        is_other
    }

    /// Tells the client that the list of tools is another one, as its revision wants to be told.
    pub(crate) async fn notify_changed(&self, context: &RequestContext<RoleServer>) {
        let version = context.protocol_version();
        let listens = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        if listens {
            self.changes.send_modify(|count| *count += 1);
        } else {
            // A client that is gone need not be told.
            let _ = context.peer.notify_tool_list_changed().await;
        }
    }

    /// Tells somebody who listens of every change, until they do not want to know any more.
    pub(crate) async fn listen(&self, listener: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            tokio::select! {
                () = listener.cancelled() => return Ok(()),
                moved = changes.changed() => {
                    if moved.is_err() || listener.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// What steps leave, each once and in an order; without a step everything is left.
fn distinct(left: &Left) -> Vec<Option<StepAccess>> {
    let mut distinct: Vec<Option<StepAccess>> = Vec::new();
    for (_, access) in left {
        if !distinct.contains(access) {
            distinct.push(access.clone());
        }
    }
    if distinct.is_empty() {
        distinct.push(None);
    }
    distinct.sort_by_cached_key(|access| format!("{access:?}"));
    distinct
}

/// The tools of a set that are offered where steps leave this.
pub(crate) fn offered<'a>(set: &'a dyn ToolSet, left: &Left) -> Vec<&'a ToolCard> {
    set.tools_left(&distinct(left))
}

/// What came of a call that changed what the agent may touch, with what that is now.
pub(crate) fn with_map(
    made: Result<ToolReply, Envelope>,
    sets: &[std::sync::Arc<dyn ToolSet>],
    left: &Left,
) -> Result<ToolReply, Envelope> {
    let mut told = made?;
    let session = told.run.as_ref().map(|run| run.session);
    let access = match left.iter().rev().find(|(of, _)| Some(*of) == session) {
        Some((_, access)) => access.as_ref(),
        None if left.is_empty() => None,
        // The run is over, and what the steps of others leave is told by their own replies.
        None => return Ok(told),
    };
    let maps: Vec<String> = sets.iter().filter_map(|set| set.map(access)).collect();
    if !maps.is_empty() {
        let map = format!("What you may touch is something else now.\n{}", maps.join("\n"));
        told.beside =
            Some(told.beside.map_or_else(|| map.clone(), |before| format!("{before}\n\n{map}")));
    }
    Ok(told)
}
