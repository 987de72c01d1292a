//! The trait that every node fulfils.

use serde_json::{Map, Value};

use super::context::NodeContext;
use super::error::NodeError;
use super::exec::Exec;
use crate::action::Action;

pub use piton_models::BoxFuture;

piton_core::closed_set! {
    /// How often a node executes.
    pub enum Shape {
        /// Once, with what prepare gave.
        Single => "single",
        /// Once for each entry of the list that prepare gave, one after the other.
        Batch => "batch",
        /// Once for each entry of the list that prepare gave, side by side.
        Parallel => "parallel",
    }
}

/// A unit of a flow.
///
/// Promise: `prep` reads what the node needs, `exec` works on that and on nothing else, `post` writes what came of
/// it and says where to go on. Only `exec` is tried again; so only `exec` may do what can fail for a while. The
/// same node may run many times, and in several flows at once: what it remembers belongs into the backpack.
pub trait Node: Send + Sync {
    /// What kind of node it is, as people and configurations name it.
    fn type_name(&self) -> &str;

    /// Its part of the namespace; none means what the flow says, else its id.
    fn segment(&self) -> Option<&str> {
        None
    }

    /// What it was made from, to be written back into a configuration.
    fn params(&self) -> Map<String, Value> {
        Map::new()
    }

    /// How often it executes.
    fn shape(&self) -> Shape {
        Shape::Single
    }

    /// Whether it calls tools: those have to be ready before a run begins.
    fn calls_tools(&self) -> bool {
        false
    }

    /// The actions that it can end with, if it knows all of them: edges on others are reported as mistakes.
    fn actions(&self) -> Option<Vec<Action>> {
        None
    }

    /// Reads what it needs. Of a batch, the result is a list.
    fn prep<'a>(&'a self, _context: &'a NodeContext) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(std::future::ready(Ok(Value::Null)))
    }

    /// Works on what was prepared; of a batch, on one entry of it.
    fn exec<'a>(
        &'a self,
        _prepared: &'a Value,
        _exec: &'a Exec<'_>,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(std::future::ready(Ok(Value::Null)))
    }

    /// What stands for the result after the last attempt failed; by default the failure does.
    fn fallback<'a>(
        &'a self,
        _prepared: &'a Value,
        error: NodeError,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(std::future::ready(Err(error)))
    }

    /// Writes what came of it, and says where to go on. Of a batch, the result is a list in the order of entries.
    fn post<'a>(
        &'a self,
        _context: &'a NodeContext,
        _prepared: &'a Value,
        _result: Value,
    ) -> BoxFuture<'a, Result<Action, NodeError>> {
        Box::pin(std::future::ready(Ok(Action::Default)))
    }
}
