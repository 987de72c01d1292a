//! Agents: who may read, append and synthesise.

mod adapter;
mod agents;
mod role;

pub use adapter::{AgentAdapter, ModelAnswer};
pub use agents::{Agents, ContextAgent};
pub use role::{Right, Role};
