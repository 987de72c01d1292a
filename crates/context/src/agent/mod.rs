//! Agents: who may read, append and synthesise.

mod adapter;
mod agents;

pub use adapter::{AgentAdapter, ModelAnswer};
pub use agents::{Agents, ContextAgent, Right, Role};
