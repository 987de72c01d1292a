//! The phases of one visit to a node.

use std::sync::Arc;

use serde_json::Value;

use super::batch_item::keep;
use super::concurrent::in_order;
use super::flow_run::{FlowFrame, FlowRun, PreparedNode};
use super::phase_guard::{PhaseOutcome, guarded};
use super::progress::VisitId;
use crate::flow::action::Action;
use crate::flow::bounds::{BATCH_ITEMS_MAX, PARALLEL_MAX};
use crate::flow::error::Error;
use crate::flow::event::{EventKind, cut};
use crate::flow::graph::FlowNode;
use crate::flow::node::{BoxFuture, Node, NodeContext, NodeError, Phase, Protected, Shape};

/// A single visit to a node.
pub(super) struct Visit<'v> {
    pub(super) pass: &'v FlowRun<'v>,
    pub(super) flow_node: &'v FlowNode,
    pub(super) ready: &'v PreparedNode,
    pub(super) node: &'v dyn Node,
    pub(super) context: NodeContext,
    /// The id under which results of a batch are kept for a resumed run, if they are kept.
    kept_as: Option<VisitId>,
}

impl<'v> Visit<'v> {
    pub(super) fn new(
        pass: &'v FlowRun<'_>,
        frame: &FlowFrame,
        flow_node: &'v FlowNode,
        ready: &'v PreparedNode,
        node: &'v dyn Node,
    ) -> Self {
        let kept_as = frame.progress.as_ref().map(|progress| progress.visit());
        let context = NodeContext {
            scope: ready.scope.clone(),
            params: Arc::clone(&frame.params),
            run: pass.record().run,
            tap: ready.tap.clone(),
            protected: Arc::new(Protected::default()),
        };
        Self { pass, flow_node, ready, node, context, kept_as }
    }

    /// Prepares, executes and posts.
    pub(super) async fn all(&self) -> Result<Action, Error> {
        let prepared = self.prep().await?;
        let (result, attempts) = match self.node.shape() {
            Shape::Single => self.attempts(&prepared).await?,
            Shape::Batch => self.each(&prepared, 1).await?,
            Shape::Parallel => self.each(&prepared, PARALLEL_MAX).await?,
        };
        self.emit(EventKind::ExecDone { attempts });
        self.post(&prepared, result).await
    }

    pub(super) async fn prep(&self) -> Result<Value, Error> {
        let came = guarded(|| self.node.prep(&self.context)).await;
        let prepared = self.phase_result(Phase::Prep, came)?;
        self.emit(EventKind::PrepDone);
        Ok(prepared)
    }

    pub(super) async fn post(&self, prepared: &Value, result: Value) -> Result<Action, Error> {
        let came = guarded(|| self.node.post(&self.context, prepared, result)).await;
        self.phase_result(Phase::Post, came)
    }

    /// Executes each entry of a list, at most `max` at once. The results are in the order of entries.
    async fn each(&self, prepared: &Value, max: usize) -> Result<(Value, u64), Error> {
        let entries = self.entries(prepared, BATCH_ITEMS_MAX)?;
        // The kept results are not used if the node failed although all of them were there.
        let again = self
            .kept_as
            .as_ref()
            .is_some_and(|visit| self.pass.done_items.are_refused(visit, entries));
        let piece = |index: usize| -> BoxFuture<'_, _> {
            Box::pin(self.entry(index, &entries[index], again))
        };
        let done: Vec<(Value, u64)> = in_order(entries.len(), max, piece).await?;
        let attempts = done.iter().map(|(_, attempts)| attempts).sum();
        Ok((done.into_iter().map(|(result, _)| result).collect(), attempts))
    }

    /// Executes one entry of a batch, unless its result from before the run was resumed can be used.
    async fn entry(&self, index: usize, entry: &Value, again: bool) -> Result<(Value, u64), Error> {
        let Some(visit) = &self.kept_as else { return self.attempts(entry).await };
        let done = self.pass.done_items.get(visit, index, entry).filter(|_| !again);
        if let Some(result) = done {
            return Ok((result.clone(), 0));
        }
        // Kept before the result counts: once another entry starts, a crash no longer repeats this one.
        let (result, attempts) = self.attempts(entry).await?;
        let run = self.context.run;
        keep(&self.context.scope, (run, visit), (index, entry), &result).await?;
        Ok((result, attempts))
    }

    /// Returns the entries of a batch.
    pub(super) fn entries<'p>(
        &self,
        prepared: &'p Value,
        max: usize,
    ) -> Result<&'p [Value], Error> {
        let problem = match prepared {
            Value::Array(entries) if entries.len() <= max => return Ok(entries),
            Value::Array(entries) => {
                format!("a batch has {} entries; {max} are taken", entries.len())
            }
            _ => "a batch prepares a list, and this is none".to_owned(),
        };
        Err(self.failed(Phase::Prep, NodeError::new(problem)))
    }

    pub(super) fn phase_result<T>(&self, phase: Phase, came: PhaseOutcome<T>) -> Result<T, Error> {
        match came {
            PhaseOutcome::Back(value) => Ok(value),
            PhaseOutcome::Failed(error) => Err(self.failed(phase, error)),
            PhaseOutcome::Panicked(words) => {
                // A panic message may quote a protected value just like an error.
                let message = cut(&self.context.protected.clean(&words));
                let code = None;
                self.emit(EventKind::Error {
                    phase,
                    attempt: None,
                    code,
                    message: message.clone(),
                });
                Err(Error::Panicked { node: self.ready.id.clone(), phase, message })
            }
        }
    }

    /// Reports the failure of the node, without protected texts.
    pub(super) fn failed(&self, phase: Phase, error: NodeError) -> Error {
        let message = cut(&self.context.protected.clean(error.message()));
        let code = error.code();
        self.emit(EventKind::Error { phase, attempt: None, code, message: message.clone() });
        Error::Node { node: self.ready.id.clone(), phase, error: error.with_message(message) }
    }

    pub(super) fn emit(&self, kind: EventKind) {
        if self.ready.tap.is_heard() {
            self.ready.tap.tell(kind);
        }
    }
}
