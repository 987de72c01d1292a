//! The nodes that a flow is made of.
//!
//! * [`Node`]: prepares, executes and posts, in that order.
//! * [`NodeContext`]: the context for prepare and post: the node's own view of the backpack.
//! * [`Exec`]: the context for execute. It has no backpack, so that a retry repeats no write.
//! * [`NodeError`]: a failed phase.

mod behaviour;
mod context;
mod error;
mod exec;
mod protected;

pub use behaviour::{BoxFuture, Node, RetryRule, Shape};
pub use context::NodeContext;
pub use error::{NodeError, Phase};
pub use exec::Exec;
pub(crate) use protected::Protected;
