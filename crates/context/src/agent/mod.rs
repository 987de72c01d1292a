//! Agents: who may read, append and synthesise.

mod agent_context;
mod agents;

pub use agent_context::{AgentContext, ModelAnswer};
pub use agents::{Agents, ContextAgent, Right, Role};
