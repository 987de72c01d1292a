//! What all nodes of a run share, and what those of one flow in it share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_backpack::{AsyncScope, ChangeLog, NodeIdentity, Permissions};
use piton_core::{Namespace, Pattern, Timer};
use piton_models::ModelClient;
use serde_json::{Map, Value};

use super::batch_item::DoneItems;
use super::cancel::Cancel;
use super::progress::{KeptPasses, Progress};
use super::record::{Finished, Notebook, RunRecord};
use crate::action::Action;
use crate::error::Error;
use crate::event::{Emitter, Tap};
use crate::flow_state::FlowState;
use crate::graph::{Flow, FlowNode, namespace};
use crate::tool::Tools;

/// The action with which a flow ended.
pub(super) type FlowOutcome = Action;

/// One run under way.
pub(super) struct FlowRun<'a> {
    pub(super) state: &'a FlowState,
    pub(super) models: &'a dyn ModelClient,
    pub(super) tools: &'a Tools,
    pub(super) timer: &'a dyn Timer,
    pub(super) emitter: Arc<Emitter>,
    pub(super) cancel: &'a Cancel,
    pub(super) steps: AtomicU64,
    pub(super) steps_max: u64,
    pub(super) record: Mutex<RunRecord>,
    pub(super) notebook: Notebook,
    /// What an earlier process got done of the node that it did not finish.
    pub(super) done_items: DoneItems,
    pub(super) kept_passes: KeptPasses,
}

impl FlowRun<'_> {
    pub(super) fn record(&self) -> MutexGuard<'_, RunRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the record and notes it.
    pub(super) async fn note(&self, change: impl FnOnce(&mut RunRecord)) -> Result<(), Error> {
        let record = {
            let mut record = self.record();
            change(&mut record);
            record.steps = self.steps.load(Ordering::Relaxed);
            record.clone()
        };
        self.notebook.note(&record).await
    }

    /// Counts a visit, unless there were too many.
    pub(super) fn step(&self, frame: &FlowFrame, flow_node: &FlowNode) -> Result<u64, Error> {
        if self.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let step = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        if step > self.steps_max {
            self.steps.fetch_sub(1, Ordering::Relaxed);
            return Err(Error::StepLimit { limit: self.steps_max, node: frame.full_id(flow_node) });
        }
        Ok(step)
    }

    /// What a place needs to be visited, made once for each pass through its flow.
    pub(super) fn ready(
        &self,
        frame: &FlowFrame,
        flow_node: &FlowNode,
    ) -> Result<PreparedNode, Error> {
        let (id, name) = (frame.full_id(flow_node), flow_node.body.type_name());
        let configured = flow_node.settings.segment.as_deref();
        let within = namespace::compose(
            frame.namespace.as_ref(),
            flow_node.body.segment(),
            configured,
            &flow_node.id,
        )
        .map_err(|error| Error::invalid(&id, format!("its namespace is refused: {error}")))?;
        let bad = |error: piton_backpack::TextError| Error::invalid(&id, error.to_string());
        let identity = NodeIdentity::new(&id, name).map_err(bad)?.within(within.clone());
        let permissions =
            flow_node.settings.permissions.clone().or_else(|| frame.permissions.clone());
        let mut scope = self.state.scope(identity.clone(), permissions.clone())?;
        if let Some(changes) = &frame.changes {
            scope = scope.logged(changes.clone());
        }
        let tap = Tap { emitter: Arc::clone(&self.emitter), identity: Arc::new(identity) };
        Ok(PreparedNode { id, namespace: within, permissions, scope, tap })
    }
}

/// A place that is ready to be visited.
pub(super) struct PreparedNode {
    pub(super) id: String,
    pub(super) namespace: Namespace,
    pub(super) permissions: Option<Permissions>,
    pub(super) scope: AsyncScope,
    pub(super) tap: Tap,
}

/// One flow in the run: where it stands and what it hands to its nodes.
pub(super) struct FlowFrame {
    namespace: Option<Namespace>,
    /// The ids of the places around it.
    path: Vec<String>,
    /// What nodes may touch that declare nothing themselves.
    permissions: Option<Permissions>,
    pub(super) params: Arc<Map<String, Value>>,
    /// How far it is; absent if that is not noted.
    pub(super) progress: Option<Arc<Progress>>,
    /// What its nodes change: of the innermost walk around it whose progress is noted, because it stands with that.
    changes: Option<ChangeLog>,
}

impl FlowFrame {
    pub(super) fn outermost(
        flow: &Flow,
        params: Map<String, Value>,
        progress: Option<Arc<Progress>>,
    ) -> Result<Self, Error> {
        let parse = |text: &str| Namespace::parse(text);
        let namespace = flow.namespace().map(parse).transpose();
        let namespace =
            namespace.map_err(|error| Error::invalid("namespace", error.to_string()))?;
        let params = Arc::new(params);
        let changes = progress.as_ref().map(|progress| progress.changes.clone());
        Ok(Self { namespace, path: Vec::new(), permissions: None, params, progress, changes })
    }

    /// The flow inside a place. Its nodes inherit what the place may touch, and what they pack themselves.
    pub(super) fn inside(
        &self,
        flow_node: &FlowNode,
        ready: &PreparedNode,
        flow: &Flow,
    ) -> Result<Self, Error> {
        let mut path = self.path.clone();
        path.push(flow_node.id.clone());
        let own = Pattern::parse(&format!("{}.**", ready.namespace))
            .map_err(|error| Error::invalid(&ready.id, error.to_string()))?;
        let mut permissions = ready.permissions.clone();
        if let Some(permissions) = &mut permissions {
            permissions.read.extend(flow.own_keys.iter().cloned());
            permissions.write.extend(flow.own_keys.iter().cloned());
            permissions.namespace_read.push(own.clone());
            permissions.namespace_write.push(own);
        }
        Ok(Self {
            namespace: Some(ready.namespace.clone()),
            path,
            permissions,
            params: Arc::clone(&self.params),
            progress: self.progress.clone(),
            changes: self.changes.clone(),
        })
    }

    /// One pass of a batch, with its own parameters above those of the flow around it.
    pub(super) fn entry(
        &self,
        params: &Map<String, Value>,
        progress: Option<Arc<Progress>>,
    ) -> Self {
        let mut merged = (*self.params).clone();
        merged.extend(params.clone());
        let own = progress.as_ref().map(|progress| progress.changes.clone());
        Self {
            namespace: self.namespace.clone(),
            path: self.path.clone(),
            permissions: self.permissions.clone(),
            params: Arc::new(merged),
            progress,
            changes: own.or_else(|| self.changes.clone()),
        }
    }

    /// How many places are around it.
    pub(super) fn depth(&self) -> usize {
        self.path.len()
    }

    /// The ids from the outermost flow to a place.
    pub(super) fn path_to(&self, flow_node: &FlowNode) -> Vec<String> {
        let mut path = self.path.clone();
        path.push(flow_node.id.clone());
        path
    }

    /// The same as one text: what the node is called in the backpack and in events.
    pub(super) fn full_id(&self, flow_node: &FlowNode) -> String {
        if self.path.is_empty() { flow_node.id.clone() } else { self.path_to(flow_node).join("/") }
    }
}

/// What is left of the way to the last node that finished, while a run is resumed.
#[derive(Clone, Copy)]
pub(super) struct ResumePoint<'a> {
    pub(super) path: &'a [String],
    pub(super) condition: Option<&'a str>,
}

impl<'a> ResumePoint<'a> {
    pub(super) fn of(finished: &'a Finished) -> Self {
        Self { path: &finished.path, condition: finished.condition.as_deref() }
    }
}
