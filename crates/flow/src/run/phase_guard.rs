//! A panic of a node is a failure of that node, never of the program.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

use crate::node::{BoxFuture, NodeError};

/// What came of a phase.
pub(super) enum PhaseOutcome<T> {
    /// What it gave.
    Back(T),
    /// A failure.
    Failed(NodeError),
    /// A panic, with what it said.
    Panicked(String),
}

/// Runs a phase, from the call on: making the future is the node's code already.
///
/// What a node leaves behind is in the backpack, whose commits are whole, so there is nothing that a panic could
/// leave half done.
pub(super) async fn guarded<'a, T>(
    phase: impl FnOnce() -> BoxFuture<'a, Result<T, NodeError>>,
) -> PhaseOutcome<T> {
    let whole = AssertUnwindSafe(async move { phase().await });
    match whole.catch_unwind().await {
        Ok(Ok(value)) => PhaseOutcome::Back(value),
        Ok(Err(error)) => PhaseOutcome::Failed(error),
        Err(payload) => PhaseOutcome::Panicked(panic_text(&*payload)),
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it said nothing").to_owned()
}
