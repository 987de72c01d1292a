//! The set `context`: each tool is one use case of the agent that the connection acts as.

mod set;

pub(super) use set::ContextTools;
