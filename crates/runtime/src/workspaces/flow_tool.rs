//! The file tools as tools of flows. The Workspaces are opened when the first is asked whether it is ready, or called,
//! so a flow that calls no tool needs none of them.

use std::sync::Arc;

use piton_core::Envelope;
use piton_flow::{BoxFuture, Tool, ToolResult};
use piton_models::ToolSpec;
use piton_workspaces::config::WorkspacePorts;
use piton_workspaces::tools::{ToolCard, cards};
use serde_json::Value;
use tokio::sync::OnceCell;

use super::joined::JoinedWorkspaces;
use super::world::FileWorld;
use crate::connection::CallBasis;

/// Who the record of a change names that a node of a flow made.
const FLOW: &str = "flow";

/// Hears what a person should know of the Workspaces, when they are opened.
type Listener = dyn Fn(&str) + Send + Sync;

/// The Workspaces that a flow has.
struct LateWorld {
    declared: JoinedWorkspaces,
    ports: WorkspacePorts,
    listener: Box<Listener>,
    opened: OnceCell<FileWorld>,
}

impl LateWorld {
    /// The Workspaces, open. What could not be opened is tried again by the next call.
    async fn get(&self) -> Result<&FileWorld, Envelope> {
        let open = async || {
            let world = FileWorld::open(self.declared.clone(), &self.ports).await?;
            world.notes().iter().for_each(|note| (self.listener)(note));
            Ok(world)
        };
        self.opened.get_or_try_init(open).await
    }
}

/// One file tool of the Workspaces that a flow has.
struct FileTool {
    world: Arc<LateWorld>,
    spec: ToolSpec,
}

impl FileTool {
    async fn make(&self, arguments: &Value) -> Result<Value, Envelope> {
        let world = self.world.get().await?;
        let (name, standing) = (&self.spec.name, CallBasis::default());
        let text = world.call(FLOW, &standing, name, arguments.clone()).await?;
        // A flow may end with this call; what cannot be written now is found out by whoever reads the records.
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
        let words = |told: Envelope| format!("{} {}", told.message, told.suggestion);
        Box::pin(async move { self.make(arguments).await.map(ToolResult::from).map_err(words) })
    }
}

/// The tools of which at least one use can succeed in what is declared, each under its own name. `listener` hears what
/// a person should know of the Workspaces, when they are opened.
pub fn flow_tools(
    declared: JoinedWorkspaces,
    ports: WorkspacePorts,
    listener: impl Fn(&str) + Send + Sync + 'static,
) -> Vec<Arc<dyn Tool>> {
    let offered = declared.tools();
    let (listener, opened) = (Box::new(listener), OnceCell::new());
    let world = Arc::new(LateWorld { declared, ports, listener, opened });
    let tool = |card: ToolCard| -> Arc<dyn Tool> {
        let spec = ToolSpec {
            name: card.tool.as_str().to_owned(),
            description: card.description.to_owned(),
            parameters: Value::Object(card.schema),
        };
        Arc::new(FileTool { world: Arc::clone(&world), spec })
    };
    cards(&offered).into_iter().map(tool).collect()
}
