//! Containing panics: a panic of a node is a failure of that node, never of the program.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

use crate::flow::node::{BoxFuture, NodeError};

/// The outcome of a phase.
pub(super) enum PhaseOutcome<T> {
    Back(T),
    Failed(NodeError),
    /// The message of the panic.
    Panicked(String),
}

/// Runs a phase, starting with the call itself: creating the future is already the node's code.
///
/// Everything that a node leaves behind is in the backpack, whose commits are complete, so a panic cannot leave
/// anything half done.
pub(super) async fn guarded<'a, T>(
    phase: impl FnOnce() -> BoxFuture<'a, Result<T, NodeError>>,
) -> PhaseOutcome<T> {
    // The async block also catches a panic in the call that creates the future.
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
