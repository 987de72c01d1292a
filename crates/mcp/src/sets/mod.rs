//! The implementation of each set.
//!
//! A set receives a [`CheckedCall`] whose arguments fit the schema of its tool, and returns a [`ToolReply`] or an
//! envelope. It knows nothing of the protocol.

mod ask_person;
mod backpack;
mod context;
mod server_builder;
mod tool_set;
mod workflow;
mod workspaces;

pub use server_builder::ServerBuilder;
pub use tool_set::{ToolReply, ToolSet};

pub use crate::call::CheckedCall;
pub use crate::person::{AnswerForm, ElicitationAnswer, Person, PersonQuestion};
