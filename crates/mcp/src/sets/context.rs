//! The set `context`: maps calls to the use cases of the agent's context.
//!
//! *Invariants*: the acting agent is fixed when the connection begins; no call can name another. The role of the agent
//! decides which tools the set has, and the handle of the agent checks it again at each call.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use piton_core::{Code, Envelope};
use piton_runtime::context::{
    AgentContext, Appended, Composed, ContextAgent, NodeContext, Regenerated, Role, RootRef,
    Synthesized,
};
use piton_runtime::{CallBasis, Connection, StepAccess};

use super::tool_set::{ToolReply, ToolSet};
use crate::call::CheckedCall;
use crate::catalogue::{self, Catalogue, ContextTool, ToolCard};

/// Names that models use for the field with a tree node, which is nearly always a path.
const ALIASES: &[(&str, &str)] = &[("path", "node"), ("file_path", "node")];

pub(super) struct ContextTools {
    connection: Arc<Connection>,
    agent: ContextAgent,
    catalogue: Arc<Catalogue>,
}

impl ContextTools {
    /// Creates the set for a connection that acts as an agent of context. Returns `None` for any other.
    pub(super) fn of(connection: &Arc<Connection>) -> Option<Self> {
        let agent = connection.context_agent()?;
        let catalogue = catalogue::context(agent.role);
        Some(Self { connection: Arc::clone(connection), agent, catalogue })
    }

    /// Returns the agent that makes the call, if the step that the call belongs to leaves it the tool.
    fn agent_context(
        &self,
        tool: ContextTool,
        standing: &CallBasis,
    ) -> Result<AgentContext, Envelope> {
        if let Some(left) = taken_away(tool, standing.access.as_ref()) {
            let message = format!(
                "This step leaves you `{left}` in the context, which does not allow {}; nothing was done.",
                tool.as_str()
            );
            return Err(Envelope::new(Code::ContextForbidden, message).with_suggestion(
                "Do without it in this step, and submit the step to continue with the next.",
            ));
        }
        let acting = self.connection.frames()?.serve(&self.agent.id)?;
        Ok(acting.at_step(standing.provenance.as_ref()))
    }

    async fn make(&self, call: CheckedCall<'_>) -> Result<ToolReply, Envelope> {
        let tool: ContextTool = call.tool().parse().expect("its catalogue has these tools alone");
        let standing = self.connection.call_basis(call.run()).await?;
        let acting = self.agent_context(tool, &standing)?;
        Ok(match tool {
            ContextTool::GetContext => ToolReply::new(
                acting.get_context(&call.request()?, &RootRef::Current).await?,
                NodeContext::text,
            ),
            ContextTool::ComposeContext => {
                ToolReply::new(acting.compose_context(&call.request()?).await?, Composed::text)
            }
            ContextTool::PutFrame => {
                ToolReply::new(acting.put_frame(&call.request()?).await?, Appended::text)
            }
            ContextTool::Synthesize => {
                ToolReply::new(acting.synthesize(&call.request()?).await?, Synthesized::text)
            }
            ContextTool::Regenerate => ToolReply::new(
                acting.regenerate(&call.request()?).await?.bounded(),
                Regenerated::text,
            ),
        })
    }
}

/// Returns the access that a step leaves in the context, if it does not allow the tool.
fn taken_away(tool: ContextTool, access: Option<&StepAccess>) -> Option<&'static str> {
    let left = access?.context?.as_str();
    let role = left.parse::<Role>().ok();
    (!role.is_some_and(|role| role.allows(tool.needs()))).then_some(left)
}

impl ToolSet for ContextTools {
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
        let is_left = |tool: ContextTool| {
            left.iter().any(|access| taken_away(tool, access.as_ref()).is_none())
        };
        let tools = self.catalogue.tools.iter();
        tools.filter(|card| card.name.parse().is_ok_and(is_left)).collect()
    }
}
