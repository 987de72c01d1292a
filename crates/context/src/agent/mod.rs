//! Agents: who may read, append and synthesise.

mod adapter;
mod agents;
mod role;

pub use adapter::{AgentAdapter, Answer};
pub use agents::{Agent, Agents};
pub use role::{Right, Role};
