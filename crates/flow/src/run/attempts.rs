//! Trying the work of a node until it succeeds or its rule says to stop.
//!
//! *Invariants*: what failed attempts say, and what models were asked, goes into the quarantine: it is in the trace,
//! and no node ever sees it.

use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use piton_models::Request;
use serde_json::{Value, json};

use super::node_phases::Visit;
use super::phase_guard::{PhaseOutcome, guarded};
use crate::error::Error;
use crate::event::{EventKind, cut};
use crate::node::{Exec, NodeError, Phase};

impl Visit<'_> {
    /// The result for one entry, and how many attempts it took.
    pub(super) async fn attempts(&self, entry: &Value) -> Result<(Value, u64), Error> {
        let rule = self.flow_node.settings.retry;
        let mut attempt = 1;
        loop {
            let error = match self.attempt(entry, attempt).await? {
                PhaseOutcome::Failed(error) => error,
                came => return Ok((self.phase_result(Phase::Exec, came)?, u64::from(attempt))),
            };
            self.set_aside(attempt, &error).await?;
            if attempt >= rule.attempts {
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
        let sent = exec.sent.into_inner().unwrap_or_else(PoisonError::into_inner);
        for request in &sent {
            self.trace(attempt, request).await?;
        }
        Ok(came)
    }

    /// Keeps what a model was asked.
    async fn trace(&self, attempt: u32, request: &Request) -> Result<(), Error> {
        let key = format!("{}.prompt", self.ready.id);
        let reason = format!("what the model was asked in attempt {attempt}; for the trace only");
        // A value that was never in use can be refused to nobody.
        let _ = self.context.scope.quarantine_value(&key, request, &reason).await?;
        Ok(())
    }

    /// Keeps what a failed attempt said.
    async fn set_aside(&self, attempt: u32, error: &NodeError) -> Result<(), Error> {
        let key = format!("{}.attempt_{attempt}", self.ready.id);
        let value = json!({ "attempt": attempt, "code": error.code(), "error": error.message() });
        let reason = format!("attempt {attempt} failed");
        // A value that was never in use can be refused to nobody.
        let _ = self.context.scope.quarantine_value(&key, &value, &reason).await?;
        Ok(())
    }
}
