//! The set `backpack`: maps calls to the use cases of the backpack that the agent is attached to.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use piton_core::Envelope;
use piton_runtime::backpack::request::{HistoryShown, KeysListed, Packed, Unpacked};
use piton_runtime::backpack::{Attached, CallerScope};
use piton_runtime::{CallBasis, Connection, StepAccess};

use super::tool_set::{ToolReply, ToolSet};
use crate::call::CheckedCall;
use crate::catalogue::{self, BackpackTool, Catalogue, ToolCard};

pub(super) struct BackpackTools {
    connection: Arc<Connection>,
    /// The configured attachment. A problem with it is reported when a tool is called.
    attached: Result<Attached, Envelope>,
    catalogue: Arc<Catalogue>,
}

impl BackpackTools {
    pub(super) fn new(connection: Arc<Connection>, attached: Result<Attached, Envelope>) -> Self {
        Self { connection, attached, catalogue: catalogue::backpack() }
    }

    /// Returns the identity that a call acts with. This is the one place that decides what a call may do.
    fn caller_scope(&self, attached: &Attached, basis: &CallBasis) -> CallerScope {
        CallerScope::new(attached.agent.as_ref(), self.connection.client(), basis)
    }

    async fn make(&self, call: CheckedCall<'_>) -> Result<ToolReply, Envelope> {
        let tool: BackpackTool = call.tool().parse().expect("its catalogue has these tools alone");
        let attached = self.attached.as_ref().map_err(Clone::clone)?;
        let basis = self.connection.call_basis(call.run()).await?;
        let caller = self.caller_scope(attached, &basis);
        Ok(match tool {
            BackpackTool::Pack => {
                ToolReply::new(attached.pack(&caller, &call.request()?).await?, Packed::text)
            }
            BackpackTool::Unpack => {
                ToolReply::new(attached.unpack(&caller, &call.request()?).await?, Unpacked::text)
            }
            BackpackTool::Keys => {
                ToolReply::new(attached.keys(&caller, &call.request()?).await?, KeysListed::text)
            }
            BackpackTool::History => ToolReply::new(
                attached.history(&caller, &call.request()?).await?,
                HistoryShown::text,
            ),
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
