//! Maps the calls of the set to their use cases.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use piton_core::Envelope;
use piton_runtime::backpack::{Attachment, CallerScope};
use piton_runtime::{CallBasis, Connection, StepAccess};

use crate::catalogue::backpack::{BackpackTool, catalogue};
use crate::catalogue::{Catalogue, ToolCard};
use crate::sets::{CheckedCall, ToolReply, ToolSet};

pub(in crate::sets) struct BackpackTools {
    connection: Arc<Connection>,
    /// The configured attachment. A problem with it is reported when a tool is called.
    attachment: Result<Attachment, Envelope>,
    catalogue: Arc<Catalogue>,
}

impl BackpackTools {
    pub(in crate::sets) fn new(
        connection: Arc<Connection>,
        attachment: Result<Attachment, Envelope>,
    ) -> Self {
        Self { connection, attachment, catalogue: catalogue() }
    }

    /// Returns the identity that a call acts with. This is the one place that decides what a call may do.
    fn caller_scope(&self, attachment: &Attachment, standing: &CallBasis) -> CallerScope {
        CallerScope::new(attachment.agent.as_ref(), self.connection.client(), standing)
    }

    async fn make(&self, call: CheckedCall<'_>) -> Result<ToolReply, Envelope> {
        let tool: BackpackTool = call.tool().parse().expect("its catalogue has these tools alone");
        let attachment = self.attachment.as_ref().map_err(Clone::clone)?;
        let standing = self.connection.call_basis(call.run()).await?;
        let (acting, state) = (self.caller_scope(attachment, &standing), &attachment.state);
        Ok(match tool {
            BackpackTool::Pack => {
                let reply = state.pack(&acting, &call.request()?).await?;
                ToolReply::new(&reply, reply.text())
            }
            BackpackTool::Unpack => {
                let reply = state.unpack(&acting, &call.request()?).await?;
                ToolReply::new(&reply, reply.text())
            }
            BackpackTool::Keys => {
                let reply = state.keys(&acting, &call.request()?).await?;
                ToolReply::new(&reply, reply.text())
            }
            BackpackTool::History => {
                let reply = state.history(&acting, &call.request()?).await?;
                ToolReply::new(&reply, reply.text())
            }
        })
    }
}

/// True if a step leaves a key that the tool could be used for.
fn is_left(tool: BackpackTool, access: Option<&StepAccess>) -> bool {
    let Some(keys) = access.and_then(|access| access.state.as_ref()) else { return true };
    match tool {
        BackpackTool::Pack => !keys.write.is_empty(),
        BackpackTool::Unpack | BackpackTool::Keys | BackpackTool::History => !keys.read.is_empty(),
    }
}

impl ToolSet for BackpackTools {
    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    fn call<'a>(&'a self, call: CheckedCall<'a>) -> BoxFuture<'a, Result<ToolReply, Envelope>> {
        Box::pin(self.make(call))
    }

    fn tools_left(&self, left: &[Option<StepAccess>]) -> Vec<&ToolCard> {
        let is_left = |tool: BackpackTool| left.iter().any(|access| is_left(tool, access.as_ref()));
        let tools = self.catalogue.tools.iter();
        tools.filter(|card| card.name.parse().is_ok_and(is_left)).collect()
    }
}
