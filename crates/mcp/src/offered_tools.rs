//! Determines the tools that an agent is offered, and notices when they change.
//!
//! The current steps of its runs decide: a tool is listed if it can be useful at one of them. A call is allowed or
//! refused by its own step, whatever is listed.
//!
//! *Limitations*: a run that another process advances changes the list without a notification.

use std::sync::{Mutex, PoisonError};

use piton_core::{Envelope, SessionId};
use piton_runtime::StepAccess;

use crate::catalogue::ToolCard;
use crate::sets::{ToolReply, ToolSet};

/// The access that the current steps of an agent's open runs leave.
pub(crate) type Left = Vec<(SessionId, Option<StepAccess>)>;

/// The state of the tool list that an agent knows.
#[derive(Debug)]
pub(crate) struct OfferedTools {
    /// Access at the last notification.
    last: Mutex<Vec<Option<StepAccess>>>,
}

impl Default for OfferedTools {
    fn default() -> Self {
        Self { last: Mutex::new(distinct(&Vec::new())) }
    }
}

impl OfferedTools {
    /// Records the access that steps leave now. Returns true if it changed.
    pub(crate) fn note(&self, left: &Left) -> bool {
        let now = distinct(left);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_other = *last != now;
        *last = now;
        is_other
    }
}

/// Returns each distinct access once, in a fixed order. Without any step, everything is allowed.
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

/// Returns the tools of a set that are offered with this access.
pub(crate) fn offered<'a>(set: &'a dyn ToolSet, left: &Left) -> Vec<&'a ToolCard> {
    set.tools_left(&distinct(left))
}

/// Adds the current access to the reply of a call that changed it.
pub(crate) fn with_map(
    made: Result<ToolReply, Envelope>,
    sets: &[std::sync::Arc<dyn ToolSet>],
    left: &Left,
) -> Result<ToolReply, Envelope> {
    let mut reply = made?;
    let session = reply.run.as_ref().map(|run| run.session);
    let access = match left.iter().rev().find(|(own, _)| Some(*own) == session) {
        Some((_, access)) => access.as_ref(),
        None if left.is_empty() => None,
        // The run is over. The replies of the other runs report what their steps leave.
        None => return Ok(reply),
    };
    let maps: Vec<String> = sets.iter().filter_map(|set| set.map(access)).collect();
    if !maps.is_empty() {
        let map = format!("What you may touch is something else now.\n{}", maps.join("\n"));
        reply.beside = Some(match reply.beside {
            Some(before) => format!("{before}\n\n{map}"),
            None => map,
        });
    }
    Ok(reply)
}
