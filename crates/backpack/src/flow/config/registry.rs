//! The node types that a description may name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::flow::error::Error;
use crate::flow::graph::NodeBody;
use crate::flow::tool::Tools;

/// A problem with the parameters of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamProblem {
    /// The location inside the parameters; empty for all of them.
    pub path: String,
    /// A description of the problem, and of what would be right.
    pub message: String,
}

impl ParamProblem {
    /// Creates a problem.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

/// The input from which a type builds a node.
pub struct BuildRequest<'a> {
    /// The id of the future node.
    pub id: &'a str,
    pub params: &'a Map<String, Value>,
    /// All known types and tools.
    pub registry: &'a Registry,
}

type Factory = dyn Fn(&BuildRequest<'_>) -> Result<NodeBody, Vec<ParamProblem>> + Send + Sync;

/// The way in which a node of a type is built.
#[derive(Clone)]
pub(crate) enum Maker {
    /// Calls a function.
    Factory(Arc<Factory>),
    /// Reads the flow in the parameters of the node, in the same way as the flow around it.
    Flow,
}

/// Types of nodes by name. Cheap to clone.
#[derive(Clone, Default)]
pub struct Registry {
    types: BTreeMap<String, Maker>,
    tools: Tools,
}

impl Registry {
    /// Creates a registry without types.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a registry of the types that come with Piton. Their nodes may name these tools.
    pub fn builtin(tools: Tools) -> Self {
        let mut registry = Self { types: BTreeMap::new(), tools };
        crate::flow::builtin::register(&mut registry);
        registry
    }

    /// Registers a type. A name that is already taken is refused.
    pub fn register<F>(&mut self, name: &str, factory: F) -> Result<(), Error>
    where
        F: Fn(&BuildRequest<'_>) -> Result<NodeBody, Vec<ParamProblem>> + Send + Sync + 'static,
    {
        self.add(name, Maker::Factory(Arc::new(factory)))
    }

    pub(crate) fn add(&mut self, name: &str, maker: Maker) -> Result<(), Error> {
        if name.is_empty() {
            return Err(Error::invalid("type", "a type of node has a name"));
        }
        if self.types.contains_key(name) {
            return Err(Error::invalid("type", format!("there is a type `{name}` already")));
        }
        self.types.insert(name.to_owned(), maker);
        Ok(())
    }

    /// Returns the tools that nodes may name.
    pub const fn tools(&self) -> &Tools {
        &self.tools
    }

    /// Returns the names of all types, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str)
    }

    pub(crate) fn maker(&self, name: &str) -> Option<&Maker> {
        self.types.get(name)
    }
}
