//! State shared by all nodes of a run, and by all nodes of one flow in it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_core::{Namespace, Pattern, Timer};
use piton_models::ModelClient;
use serde_json::{Map, Value};

use super::batch_item::DoneItems;
use super::progress::{KeptPasses, Progress};
use super::record::{Finished, Notebook, RunRecord};
use super::runner::Cancel;
use crate::flow::error::Error;
use crate::flow::event::{Emitter, Tap};
use crate::flow::flow_state::FlowState;
use crate::flow::graph::{Flow, FlowNode, compose_namespace};
use crate::flow::tool::Tools;
use crate::{ChangeLog, NodeIdentity, Permissions, Scope};

/// A run in progress.
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
    /// Results that an earlier process left for the node that it did not finish.
    pub(super) done_items: DoneItems,
    pub(super) kept_passes: KeptPasses,
}

impl FlowRun<'_> {
    pub(super) fn record(&self) -> MutexGuard<'_, RunRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the record and stores it.
    pub(super) async fn note(&self, change: impl FnOnce(&mut RunRecord)) -> Result<(), Error> {
        // The lock is released before the await: only a copy of the record is stored.
        let record = {
            let mut record = self.record();
            change(&mut record);
            record.steps = self.steps.load(Ordering::Relaxed);
            record.clone()
        };
        self.notebook.note(&record).await
    }

    /// Counts a visit, unless the run was cancelled or reached its limit.
    pub(super) fn step(&self, frame: &FlowFrame, flow_node: &FlowNode) -> Result<u64, Error> {
        if self.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        // Counted before the check, so that passes that run concurrently cannot both take the last step.
        let step = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        if step > self.steps_max {
            // Undo the count, since this step is not taken.
            self.steps.fetch_sub(1, Ordering::Relaxed);
            return Err(Error::StepLimit { limit: self.steps_max, node: frame.full_id(flow_node) });
        }
        Ok(step)
    }

    /// Prepares a node for its visits, once for each pass through its flow.
    pub(super) fn ready(
        &self,
        frame: &FlowFrame,
        flow_node: &FlowNode,
    ) -> Result<PreparedNode, Error> {
        let (id, name) = (frame.full_id(flow_node), flow_node.body.type_name());
        let configured = flow_node.settings.segment.as_deref();
        let within = compose_namespace(
            frame.namespace.as_ref(),
            flow_node.body.segment(),
            configured,
            &flow_node.id,
        )
        .map_err(|error| Error::invalid(&id, format!("its namespace is refused: {error}")))?;
        let bad = |error: crate::TextError| Error::invalid(&id, error.to_string());
        let identity = NodeIdentity::new(&id, name).map_err(bad)?.within(within.clone());
        // A node without permissions of its own inherits those of the flow that it belongs to.
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

/// A node that is ready to be visited.
pub(super) struct PreparedNode {
    pub(super) id: String,
    pub(super) namespace: Namespace,
    pub(super) permissions: Option<Permissions>,
    pub(super) scope: Scope,
    pub(super) tap: Tap,
}

/// One flow in the run, with its position and the settings of its nodes.
#[derive(Clone)]
pub(super) struct FlowFrame {
    namespace: Option<Namespace>,
    /// The ids of the nodes around it.
    path: Vec<String>,
    /// Permissions of nodes that declare none themselves.
    permissions: Option<Permissions>,
    pub(super) params: Arc<Map<String, Value>>,
    /// The progress of the flow; absent if it is not recorded.
    pub(super) progress: Option<Arc<Progress>>,
    /// Changes by its nodes, for the innermost enclosing walk whose progress is recorded: they stand together with it.
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

    /// Creates the frame of the flow inside a node. Its nodes inherit the permissions of that node, and may access
    /// everything that they pack themselves.
    pub(super) fn inside(
        &self,
        flow_node: &FlowNode,
        ready: &PreparedNode,
        flow: &Flow,
    ) -> Result<Self, Error> {
        // Everything below the node's own namespace, which is where the inner nodes pack.
        let own = Pattern::parse(&format!("{}.**", ready.namespace))
            .map_err(|error| Error::invalid(&ready.id, error.to_string()))?;
        let mut permissions = ready.permissions.clone();
        // Without permissions the node is unrestricted, and so are the nodes inside it.
        if let Some(permissions) = &mut permissions {
            permissions.read.extend(flow.own_keys.iter().cloned());
            permissions.write.extend(flow.own_keys.iter().cloned());
            permissions.namespace_read.push(own.clone());
            permissions.namespace_write.push(own);
        }
        let (namespace, path) = (Some(ready.namespace.clone()), self.path_to(flow_node));
        Ok(Self { namespace, path, permissions, ..self.clone() })
    }

    /// Creates the frame of one pass of a batch. Its parameters override those of the flow around it.
    pub(super) fn entry(
        &self,
        params: &Map<String, Value>,
        progress: Option<Arc<Progress>>,
    ) -> Self {
        let mut merged = (*self.params).clone();
        merged.extend(params.clone());
        let own = progress.as_ref().map(|progress| progress.changes.clone());
        // A pass with progress of its own records its own changes; otherwise they belong to the walk around it.
        let changes = own.or_else(|| self.changes.clone());
        Self { params: Arc::new(merged), progress, changes, ..self.clone() }
    }

    /// Returns the number of nodes around it.
    pub(super) fn depth(&self) -> usize {
        self.path.len()
    }

    /// Returns the ids from the outermost flow to a node.
    pub(super) fn path_to(&self, flow_node: &FlowNode) -> Vec<String> {
        let mut path = self.path.clone();
        path.push(flow_node.id.clone());
        path
    }

    /// Returns the same path as one text: the name of the node in the backpack and in events.
    pub(super) fn full_id(&self, flow_node: &FlowNode) -> String {
        if self.path.is_empty() { flow_node.id.clone() } else { self.path_to(flow_node).join("/") }
    }
}

/// The remaining path to the last node that finished, while a run resumes.
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
