//! Retrying the work of a node until it succeeds or its rule ends it.
//!
//! *Invariants*: messages of failed attempts and requests to models go into the quarantine. They are part of the trace,
//! and no node ever sees them.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use serde::Serialize;
use serde_json::{Value, json};

use super::node_visit::Visit;
use crate::flow::error::Error;
use crate::flow::event::{EventKind, cut};
use crate::flow::node::{BoxFuture, Exec, NodeError, Phase};

impl Visit<'_> {
    /// Returns the result for one entry, and the number of attempts that it took.
    pub(super) async fn attempts(&self, entry: &Value) -> Result<(Value, u64), Error> {
        let rule = self.flow_node.settings.retry;
        let mut attempt = 1;
        loop {
            let error = match self.attempt(entry, attempt).await? {
                // Only a failure is retried. A panic ends the node at once.
                PhaseOutcome::Failed(error) => error,
                came => return Ok((self.phase_result(Phase::Exec, came)?, u64::from(attempt))),
            };
            // Kept before the next attempt, so that the trace is complete even if the process dies in it.
            self.set_aside(attempt, &error).await?;
            if attempt >= rule.attempts {
                // The attempts are used up, but the node may still provide a result.
                let came = guarded(|| self.node.fallback(entry, error)).await;
                return Ok((self.phase_result(Phase::Exec, came)?, u64::from(attempt)));
            }
            self.emit(EventKind::Error {
                phase: Phase::Exec,
                attempt: Some(attempt),
                code: error.code(),
                message: cut(&self.context.protected.clean(error.message())),
            });
            if rule.wait_ms > 0 {
                self.pass.timer.sleep(Duration::from_millis(rule.wait_ms)).await;
            }
            attempt += 1;
        }
    }

    async fn attempt(&self, entry: &Value, attempt: u32) -> Result<PhaseOutcome<Value>, Error> {
        let exec = Exec {
            attempt,
            params: &self.context.params,
            models: self.pass.models,
            tools: self.pass.tools,
            tap: &self.ready.tap,
            protected: &self.context.protected,
            sent: Mutex::default(),
            chunks: AtomicUsize::new(0),
        };
        let came = guarded(|| self.node.exec(entry, &exec)).await;
        // Requests are traced whatever the outcome: failed attempts are the ones that people look into.
        let sent = exec.sent.into_inner().unwrap_or_else(PoisonError::into_inner);
        let reason = format!("what the model was asked in attempt {attempt}; for the trace only");
        for request in &sent {
            self.trace("prompt", request, &reason).await?;
        }
        Ok(came)
    }

    /// Keeps the message of a failed attempt for the trace.
    async fn set_aside(&self, attempt: u32, error: &NodeError) -> Result<(), Error> {
        let value = json!({ "attempt": attempt, "code": error.code(), "error": error.message() });
        let reason = format!("attempt {attempt} failed");
        self.trace(&format!("attempt_{attempt}"), &value, &reason).await
    }

    /// Keeps a value of this visit for the trace. It is never in use and needs no permission, so it cannot be refused.
    async fn trace<T: Serialize>(&self, name: &str, value: &T, reason: &str) -> Result<(), Error> {
        let (key, scope) = (format!("{}.{name}", self.ready.id), &self.context.scope);
        Ok(scope.saved(scope.quarantine_value(&key, value, reason)?).await.map(drop)?)
    }
}

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
