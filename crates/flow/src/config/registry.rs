//! The types of nodes that a description may name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::error::Error;
use crate::graph::NodeBody;
use crate::tool::Tools;

/// A problem with the parameters of a node: where inside them, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamProblem {
    /// Where inside the parameters; empty for all of them.
    pub path: String,
    /// What, and what would be right.
    pub message: String,
}

impl ParamProblem {
    /// A problem.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

/// What a type makes a node from.
pub struct BuildRequest<'a> {
    /// The id that the node will have.
    pub id: &'a str,
    /// Its parameters.
    pub params: &'a Map<String, Value>,
    /// The types and tools that are known.
    pub registry: &'a Registry,
}

type Factory = dyn Fn(&BuildRequest<'_>) -> Result<NodeBody, Vec<ParamProblem>> + Send + Sync;

/// How a node of a type is made.
#[derive(Clone)]
pub(crate) enum Maker {
    /// By a function.
    Factory(Arc<Factory>),
    /// From the flow that is written into its parameters: it is read as those around it are.
    Flow,
}

/// Types of nodes by name. Cheap to clone.
#[derive(Clone, Default)]
pub struct Registry {
    types: BTreeMap<String, Maker>,
    tools: Tools,
}

impl Registry {
    /// No types.
    pub fn new() -> Self {
        Self::default()
    }

    /// The types that come with Piton, whose nodes may name these tools.
    pub fn builtin(tools: Tools) -> Self {
        let mut registry = Self { types: BTreeMap::new(), tools };
        crate::builtin::register(&mut registry);
        registry
    }

    /// Takes in a type. One of a name that is there is refused.
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

    /// The tools that nodes may name.
    pub const fn tools(&self) -> &Tools {
        &self.tools
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str)
    }

    pub(crate) fn maker(&self, name: &str) -> Option<&Maker> {
        self.types.get(name)
    }
}
