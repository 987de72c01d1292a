//! The set `workflow`: each tool is one use case of a connection.

mod ask;
mod set;

pub(super) use set::WorkflowTools;
