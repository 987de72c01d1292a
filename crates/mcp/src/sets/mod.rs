//! What makes the calls of each set.
//!
//! A set is told a [`CheckedCall`] whose arguments fit the schema of its tool, and answers with what was [`ToolReply`] or with
//! an envelope. It knows nothing of the protocol.

mod call;
mod context;
mod files;
mod given;
mod person;
mod set;
mod state;
mod told;
mod workflow;

pub use call::CheckedCall;
pub use given::ServerBuilder;
pub use person::{AnswerForm, ElicitationAnswer, Person, PersonQuestion};
pub use set::ToolSet;
pub use told::ToolReply;
