//! What a flow is made of.
//!
//! * [`Node`]: prepares, executes and posts, in that order.
//! * [`NodeContext`]: what prepare and post are given: the node's own view of the backpack.
//! * [`Exec`]: what execute is given: no backpack, so that trying it again repeats no write.
//! * [`NodeError`]: why a phase failed.

mod behaviour;
mod context;
mod error;
mod exec;
mod protected;
mod retry;

pub use behaviour::{BoxFuture, Node, Shape};
pub use context::NodeContext;
pub use error::{NodeError, Phase};
pub use exec::Exec;
pub(crate) use protected::Protected;
pub use retry::RetryRule;
