//! From the arguments of a call to what is told of it.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use piton_core::{Code, Envelope};

use crate::catalogue::{Object, ToolCard};
use crate::sets::{CheckedCall, Person, ToolReply, ToolSet};

/// Makes a call of a tool of `set`. What goes wrong, a panic included, is an envelope.
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

/// A panic as an agent reads it. Its own words may quote anything, so they stay in the log.
fn broken(tool: &ToolCard) -> Envelope {
    let message = format!("{} ended early because of a fault in Piton.", tool.name);
    Envelope::new(Code::InternalError, message)
}
