//! Visiting one node of a flow.

use std::sync::Arc;

use piton_core::Code;
use serde_json::Value;

use super::attempts::{PhaseOutcome, guarded};
use super::batch_item::{in_order, keep};
use super::contract::check;
use super::flow_run::{FlowFrame, FlowRun, PreparedNode, ResumePoint};
use super::progress::{PassNote, Progress, VisitId};
use crate::Error as BackpackError;
use crate::flow::bounds::{BATCH_ITEMS_MAX, PARALLEL_MAX};
use crate::flow::error::Error;
use crate::flow::event::{EventKind, cut};
use crate::flow::graph::{Flow, FlowNode, NodeBody};
use crate::flow::node::{Action, BoxFuture, Node, NodeContext, NodeError, Phase, Protected, Shape};

impl FlowRun<'_> {
    /// Visits a node and records that it finished.
    pub(super) async fn visit(
        &self,
        frame: &FlowFrame,
        flow_node: &FlowNode,
        ready: &PreparedNode,
    ) -> Result<Action, Error> {
        let step = self.step(frame, flow_node)?;
        ready.tap.tell(EventKind::NodeStart { step });
        // A broken contract fails the node before it does any work.
        check(ready, Phase::Inputs, &flow_node.settings.inputs).await?;
        let action = match &flow_node.body {
            NodeBody::Node(node) => {
                Visit::new(self, frame, flow_node, ready, &**node).all().await?
            }
            NodeBody::Flow(flow) => {
                let inner = frame.inside(flow_node, ready, flow)?;
                outer_action(self.walk(flow, &inner, None).await?)
            }
            NodeBody::Batch { items, flow, parallel } => {
                let batch = Batch { items: &**items, flow, parallel: *parallel };
                self.batch(frame, flow_node, ready, batch).await?
            }
        };
        self.finish_visit(frame, flow_node, ready, action).await
    }

    /// Resumes inside a node that the run was in when it ended early.
    pub(super) async fn visit_again(
        &self,
        frame: &FlowFrame,
        flow_node: &FlowNode,
        ready: &PreparedNode,
        way: ResumePoint<'_>,
    ) -> Result<Action, Error> {
        let NodeBody::Flow(flow) = &flow_node.body else {
            let id = &ready.id;
            let reason = format!("`{id}` is no flow, and its record is inside it");
            return Err(Error::not_resumable(reason));
        };
        let inner = frame.inside(flow_node, ready, flow)?;
        // One level down: the first id of the path is this node.
        let rest = ResumePoint { path: &way.path[1..], condition: way.condition };
        let action = outer_action(self.walk(flow, &inner, Some(rest)).await?);
        self.finish_visit(frame, flow_node, ready, action).await
    }

    async fn finish_visit(
        &self,
        frame: &FlowFrame,
        flow_node: &FlowNode,
        ready: &PreparedNode,
        action: Action,
    ) -> Result<Action, Error> {
        // Checked before the visit counts as finished: a resumed run repeats a node that broke its contract.
        check(ready, Phase::Outputs, &flow_node.settings.outputs).await?;
        // Record first: a subscriber that sees the end of a node can rely on it not running again.
        self.finished(frame, flow_node, &action).await?;
        if ready.tap.is_heard() {
            ready.tap.tell(EventKind::NodeEnd { action: action.to_string() });
        }
        Ok(action)
    }

    /// Runs a flow once for each entry that a node prepares.
    async fn batch(
        &self,
        frame: &FlowFrame,
        flow_node: &FlowNode,
        ready: &PreparedNode,
        batch: Batch<'_>,
    ) -> Result<Action, Error> {
        let visit = Visit::new(self, frame, flow_node, ready, batch.items);
        let progress = frame.progress.as_ref();
        // A resumed run takes the entries that were recorded; preparing again could give others.
        let kept = progress.and_then(|progress| self.kept_passes.entries(&progress.visit()));
        let prepared = match kept {
            Some(entries) => {
                let prepared = Value::from(entries.clone());
                // It is not recorded which parts of the entries are protected, so treat all of them as such.
                visit.context.protected.note_value(&prepared);
                prepared
            }
            None => visit.prep().await?,
        };
        let entries = visit.entries(&prepared, BATCH_ITEMS_MAX)?;
        // Checked before the entries are recorded: recorded entries are not prepared again, so a bad one would stay.
        let params = entries.iter().enumerate().map(|(index, entry)| {
            entry.as_object().ok_or_else(|| {
                let error = NodeError::new(format!("entry {index} of the batch is not an object"));
                visit.failed(Phase::Prep, error)
            })
        });
        let params = params.collect::<Result<Vec<_>, _>>()?;
        let inner = frame.inside(flow_node, ready, batch.flow)?;
        let progress = match progress {
            Some(progress) if kept.is_some() => Some(progress),
            // Without recorded entries the passes have no progress of their own, and a resumed run repeats all of them.
            Some(progress) => self.note_entries(progress, entries).await?.then_some(progress),
            None => None,
        };
        let mut frames = Vec::with_capacity(entries.len());
        for (index, params) in params.into_iter().enumerate() {
            let progress =
                progress.map(|progress| progress.pass(index, inner.depth(), &self.kept_passes));
            frames.push(inner.entry(params, progress));
        }
        let max = if batch.parallel { PARALLEL_MAX } else { 1 };
        let pass = |index: usize| {
            let frame = &frames[index];
            let progress = frame.progress.as_ref();
            // Each pass resumes after its own last node, independently of the others.
            let finished = progress.and_then(|progress| self.kept_passes.finished(&progress.pass));
            self.walk(batch.flow, frame, finished.map(ResumePoint::of))
        };
        let actions = in_order(frames.len(), max, pass).await?;
        let result = actions.iter().map(|action| Value::from(action.to_string())).collect();
        visit.post(&prepared, result).await
    }

    /// Records the entries of a batch, so that its passes can resume one by one. Returns true if that was possible.
    async fn note_entries(&self, progress: &Progress, entries: &[Value]) -> Result<bool, Error> {
        let (run, id) = (self.record().run, progress.visit());
        let value_bytes_max = self.state.backpack().options().max_value_size;
        let changes = progress.changes.get();
        let notes = PassNote::of_entries((run, &id), entries, &changes, value_bytes_max);
        let Some(notes) = notes else { return Ok(false) };
        match self.notebook.note_passes(&notes).await {
            Ok(()) => Ok(true),
            // An entry is nested one level deeper in a note than by itself.
            Err(BackpackError::TooDeep { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

struct Batch<'a> {
    items: &'a dyn Node,
    flow: &'a Flow,
    parallel: bool,
}

/// Translates the last action of a flow for the flow around it: ending a flow ends only that flow.
fn outer_action(action: Action) -> Action {
    if action == Action::End { Action::Default } else { action }
}

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
                self.emit_error(phase, None, &message);
                Err(Error::Panicked { node: self.ready.id.clone(), phase, message })
            }
        }
    }

    /// Reports the failure of the node, without protected texts.
    pub(super) fn failed(&self, phase: Phase, error: NodeError) -> Error {
        let message = cut(&self.context.protected.clean(error.message()));
        self.emit_error(phase, error.code(), &message);
        Error::Node { node: self.ready.id.clone(), phase, error: error.with_message(message) }
    }

    fn emit_error(&self, phase: Phase, code: Option<Code>, message: &str) {
        self.emit(EventKind::Error { phase, attempt: None, code, message: message.to_owned() });
    }

    pub(super) fn emit(&self, kind: EventKind) {
        self.ready.tap.tell(kind);
    }
}
