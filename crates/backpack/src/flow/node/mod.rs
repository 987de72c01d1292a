//! The nodes that a flow is made of.
//!
//! * [`Node`]: prepares, executes and posts, in that order.
//! * [`NodeContext`]: the context for prepare and post: the node's own view of the backpack.
//! * [`Exec`]: the context for execute. It has no backpack, so that a retry repeats no write.
//! * [`Action`]: what a node returns to decide where the flow continues.
//! * [`NodeError`]: a failed phase.

mod behaviour;
mod context;
mod error;
mod exec;

pub(crate) use behaviour::condition_problem;
pub use behaviour::{Action, BoxFuture, DEFAULT, Node, RetryRule, Shape};
pub use context::NodeContext;
pub(crate) use context::Protected;
pub use error::{NodeError, Phase};
pub use exec::Exec;
