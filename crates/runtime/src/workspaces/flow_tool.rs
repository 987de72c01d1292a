//! The file tools as tools of flows. The Workspaces are opened when a tool is first checked for readiness or called, so
//! a flow that calls no tool needs none of them.

use std::sync::Arc;

use piton_backpack::flow::{BoxFuture, Tool, ToolResult};
use piton_core::Envelope;
use piton_models::ToolSpec;
use piton_workspaces::config::WorkspacePorts;
use piton_workspaces::tools::card;
use serde_json::Value;
use tokio::sync::OnceCell;

use super::declaration::JoinedWorkspaces;
use super::file_world::FileWorld;
use crate::workflow::CallBasis;

/// Name of the agent in records of changes that a node of a flow made.
const FLOW: &str = "flow";

/// Receives the notes for a person when the Workspaces are opened.
type Listener = dyn Fn(&str) + Send + Sync;

/// The Workspaces of a flow, opened on first use.
struct LateWorld {
    declared: JoinedWorkspaces,
    ports: WorkspacePorts,
    listener: Box<Listener>,
    opened: OnceCell<FileWorld>,
}

impl LateWorld {
    /// Returns the open Workspaces. A failure to open them is not kept: the next call tries again.
    async fn get(&self) -> Result<&FileWorld, Envelope> {
        let open = async || {
            let world = FileWorld::open(self.declared.clone(), &self.ports).await?;
            world.notes().iter().for_each(|note| (self.listener)(note));
            Ok(world)
        };
        // Concurrent first calls open the Workspaces once.
        self.opened.get_or_try_init(open).await
    }
}

/// A file tool of the Workspaces of a flow.
struct FileTool {
    world: Arc<LateWorld>,
    spec: ToolSpec,
}

impl FileTool {
    async fn make(&self, arguments: &Value) -> Result<Value, Envelope> {
        let world = self.world.get().await?;
        let (name, basis) = (&self.spec.name, CallBasis::default());
        let text = world.call(FLOW, &basis, name, arguments.clone()).await?;
        // A flow may end with this call. If the write fails, the outcome is derived from the files by the next reader
        // of the records.
        if world.has_unwritten() {
            let _ = world.flush().await;
        }
        Ok(Value::String(text))
    }
}

impl Tool for FileTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), Envelope>> {
        Box::pin(async { self.world.get().await.map(drop) })
    }

    fn call<'a>(&'a self, arguments: &'a Value) -> BoxFuture<'a, Result<ToolResult, String>> {
        let text = |failed: Envelope| format!("{} {}", failed.message, failed.suggestion);
        Box::pin(async move { self.make(arguments).await.map(ToolResult::from).map_err(text) })
    }
}

/// Returns the tools that can succeed at least once in the declared Workspaces, each under its own name. `listener`
/// receives the notes for a person when the Workspaces are opened.
pub fn flow_tools(
    declared: JoinedWorkspaces,
    ports: WorkspacePorts,
    listener: impl Fn(&str) + Send + Sync + 'static,
) -> Vec<Arc<dyn Tool>> {
    let offered = declared.tools();
    let (listener, opened) = (Box::new(listener), OnceCell::new());
    let world = Arc::new(LateWorld { declared, ports, listener, opened });
    let tool = |tool| -> Arc<dyn Tool> {
        let card = card(tool);
        let spec = ToolSpec {
            name: card.name.to_owned(),
            description: card.description.clone(),
            parameters: Value::Object((*card.input).clone()),
        };
        Arc::new(FileTool { world: Arc::clone(&world), spec })
    };
    offered.into_iter().map(tool).collect()
}
