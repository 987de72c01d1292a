//! From a call of the set to its use case.
//!
//! *Invariants*: who acts was fixed when the connection began; no call says it. What a call may do is decided in one
//! place, before its arguments are looked at.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use piton_core::{Code, Envelope};
use piton_runtime::context::{AgentContext, CURRENT_TREE, ContextAgent, NO_WAIT, Role};
use piton_runtime::{CallBasis, Connection, StepAccess};

use crate::catalogue::context::{ContextTool, catalogue};
use crate::catalogue::{Catalogue, ToolCard};
use crate::sets::{CheckedCall, ToolReply, ToolSet};

/// What models write where the name of a tree node is asked for, which is nearly always a path.
const ALIASES: &[(&str, &str)] = &[("path", "node"), ("file_path", "node")];

pub(in crate::sets) struct ContextTools {
    connection: Arc<Connection>,
    agent: ContextAgent,
    catalogue: Arc<Catalogue>,
}

impl ContextTools {
    /// The set of a connection that acts as an agent of context; nothing for any other.
    pub(in crate::sets) fn of(connection: &Arc<Connection>) -> Option<Self> {
        let agent = connection.context_agent()?;
        let catalogue = catalogue(agent.role);
        Some(Self { connection: Arc::clone(connection), agent, catalogue })
    }

    /// Who makes the call, if they may: the agent of the connection, as far as its role and the step go that the call
    /// belongs to.
    fn agent_context(
        &self,
        tool: ContextTool,
        standing: &CallBasis,
    ) -> Result<AgentContext, Envelope> {
        let may = self.agent.check(tool.needs());
        may.map_err(|error| error.envelope())?;
        if let Some(left) = taken_away(tool, standing.access.as_ref()) {
            let message = format!(
                "This step leaves you `{left}` in the context, which does not allow {}; nothing was done.",
                tool.as_str()
            );
            return Err(Envelope::new(Code::ContextForbidden, message).with_suggestion(
                "Do without it in this step, and hand in the step to go on to the next.",
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
            ContextTool::GetContext => {
                let reply = acting.get_context(&call.request()?, &CURRENT_TREE).await?;
                ToolReply::new(&reply, reply.text())
            }
            ContextTool::ComposeContext => {
                let reply = acting.compose_context(&call.request()?).await?;
                ToolReply::new(&reply, reply.text())
            }
            ContextTool::PutFrame => {
                let reply = acting.put_frame(call.request()?, BTreeMap::new()).await?;
                ToolReply::new(&reply, reply.text())
            }
            ContextTool::Synthesize => {
                let reply = acting.synthesize(&call.request()?).await?;
                ToolReply::new(&reply, reply.text())
            }
            ContextTool::Regenerate => {
                let reply = acting.regenerate(&call.request()?, NO_WAIT).await?.bounded();
                ToolReply::new(&reply, reply.text())
            }
        })
    }
}

/// What a step leaves in the context, if that does not allow the tool.
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
