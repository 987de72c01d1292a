//! The file tools as tools of flows.

use std::sync::Arc;

use piton_flow::{BoxFuture, Tool};
use piton_models::ToolSpec;
use piton_workspaces::tools::{ToolCard, cards};
use serde_json::Value;

use super::world::FileWorld;
use crate::connection::Standing;

/// Who the record of a change names that a node of a flow made.
const FLOW: &str = "flow";

/// One file tool of the Workspaces that a flow has.
struct FileTool {
    world: Arc<FileWorld>,
    spec: ToolSpec,
}

impl FileTool {
    async fn make(&self, arguments: &Value) -> Result<Value, String> {
        let (name, standing) = (&self.spec.name, Standing::default());
        let made = self.world.call(FLOW, &standing, name, arguments.clone()).await;
        let text =
            made.map_err(|envelope| format!("{} {}", envelope.message, envelope.suggestion))?;
        // A flow may end with this call; what cannot be written now is found out by whoever reads the records.
        if self.world.has_unwritten() {
            let _ = self.world.flush().await;
        }
        Ok(Value::String(text))
    }
}

impl Tool for FileTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call<'a>(&'a self, arguments: &'a Value) -> BoxFuture<'a, Result<Value, String>> {
        Box::pin(self.make(arguments))
    }
}

/// The tools of which at least one use can succeed, each under its own name.
pub fn flow_tools(world: &Arc<FileWorld>) -> Vec<Arc<dyn Tool>> {
    let tool = |card: ToolCard| -> Arc<dyn Tool> {
        let spec = ToolSpec {
            name: card.tool.as_str().to_owned(),
            description: card.description.to_owned(),
            parameters: Value::Object(card.schema),
        };
        Arc::new(FileTool { world: Arc::clone(world), spec })
    };
    cards(&world.tools()).into_iter().map(tool).collect()
}
