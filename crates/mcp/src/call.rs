//! Makes a call from its arguments and returns its reply.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use piton_core::{Code, Envelope};

use crate::catalogue::{Object, ToolCard};
use crate::sets::{CheckedCall, Person, ToolReply, ToolSet};

/// Calls a tool of `set`. Every failure, including a panic, becomes an envelope.
pub(crate) async fn call(
    set: &dyn ToolSet,
    tool: &ToolCard,
    arguments: Object,
    person: &dyn Person,
) -> Result<ToolReply, Envelope> {
    let work = AssertUnwindSafe(make(set, tool, arguments, person));
    work.catch_unwind().await.unwrap_or_else(|_| Err(broken(tool)))
}

async fn make(
    set: &dyn ToolSet,
    tool: &ToolCard,
    arguments: Object,
    person: &dyn Person,
) -> Result<ToolReply, Envelope> {
    set.call(CheckedCall::new(tool, set.aliases(), arguments, person)?).await
}

/// Describes a panic to an agent. The panic's own message may quote anything, so it stays in the log.
fn broken(tool: &ToolCard) -> Envelope {
    let message = format!("{} ended early because of a fault in Piton.", tool.name);
    Envelope::new(Code::InternalError, message)
}
