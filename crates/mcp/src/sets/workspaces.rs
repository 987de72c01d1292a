//! The set `workspaces`: each tool is one operation on the Workspaces of the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use piton_core::Envelope;
use piton_runtime::workspaces::{ALIASES, FileWorld};
use piton_runtime::{Connection, StepAccess};
use serde_json::Value;

use super::tool_set::{ToolReply, ToolSet};
use crate::bounds::FLUSH_AFTER;
use crate::call::CheckedCall;
use crate::catalogue::{Catalogue, ToolCard, world_catalogue};

/// Name of the acting agent if the client did not give one.
const NAMELESS: &str = "agent";

pub(super) struct WorkspaceTools {
    connection: Arc<Connection>,
    world: Arc<FileWorld>,
    catalogue: Catalogue,
    /// Set while a write of outcomes is scheduled.
    flushes: Arc<AtomicBool>,
}

impl WorkspaceTools {
    /// Creates the set of a connection. Returns `None` if its Workspaces allow no tool.
    pub(super) fn new(connection: Arc<Connection>, world: Arc<FileWorld>) -> Option<Self> {
        let catalogue = world_catalogue(&world);
        (!catalogue.tools.is_empty()).then(|| Self {
            connection,
            world,
            catalogue,
            flushes: Arc::default(),
        })
    }

    async fn make(&self, call: CheckedCall<'_>) -> Result<ToolReply, Envelope> {
        let standing = self.connection.call_basis(call.run()).await?;
        let agent = self.connection.client();
        let agent = agent.as_deref().unwrap_or(NAMELESS);
        let tool = call.tool();
        let arguments = Value::Object(call.into_arguments());
        let text = self.world.call(agent, &standing, tool, arguments).await?;
        self.flush_when_idle();
        Ok(ToolReply::text(text))
    }

    /// Schedules a write of outcomes that no further change takes along.
    fn flush_when_idle(&self) {
        if !self.world.has_unwritten() || self.flushes.swap(true, Ordering::Relaxed) {
            return;
        }
        let (world, flushes) = (Arc::clone(&self.world), Arc::clone(&self.flushes));
        tokio::spawn(async move {
            tokio::time::sleep(FLUSH_AFTER).await;
            // Reset before flushing, so that a change during the flush schedules another one.
            flushes.store(false, Ordering::Relaxed);
            // Outcomes that cannot be written now go with the next change, or are determined when they are read.
            let _ = world.flush().await;
        });
    }
}

impl ToolSet for WorkspaceTools {
    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    fn aliases(&self) -> &'static [(&'static str, &'static str)] {
        ALIASES
    }

    fn call<'a>(&'a self, call: CheckedCall<'a>) -> BoxFuture<'a, Result<ToolReply, Envelope>> {
        Box::pin(self.make(call))
    }

    fn tools_left(&self, left: &[Option<StepAccess>]) -> Vec<&ToolCard> {
        let names = self.world.tools_left(left);
        let is_left = |card: &&ToolCard| names.iter().any(|tool| tool.as_str() == card.name);
        self.catalogue.tools.iter().filter(is_left).collect()
    }

    fn map(&self, access: Option<&StepAccess>) -> Option<String> {
        Some(self.world.map_left(access).trim_end().to_owned())
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let _ = self.world.flush().await;
        })
    }
}
