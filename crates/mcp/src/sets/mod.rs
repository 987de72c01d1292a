//! The implementation of each set.
//!
//! A set receives a [`CheckedCall`] whose arguments fit the schema of its tool, and returns a [`ToolReply`] or an
//! envelope. It knows nothing of the protocol.

mod backpack;
mod checked_call;
mod context;
mod person;
mod server_builder;
mod set;
mod tool_reply;
mod workflow;
mod workspaces;

pub use checked_call::CheckedCall;
pub use person::{AnswerForm, ElicitationAnswer, Person, PersonQuestion};
pub use server_builder::ServerBuilder;
pub use set::ToolSet;
pub use tool_reply::ToolReply;
