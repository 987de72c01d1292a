//! Settings of a node in its flow.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::flow::error::Error;
use crate::flow::node::RetryRule;
use crate::flow::schema::Schema;
use crate::{Key, Permissions};

/// The required shape of the values under certain keys.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    pub(crate) schemas: BTreeMap<Key, Arc<Schema>>,
}

impl Contract {
    /// Creates a contract that requires nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requires a value under `key` that conforms to `schema`, a JSON Schema.
    pub fn with(mut self, key: &str, schema: &Value) -> Result<Self, Error> {
        let parsed = Key::parse(key).map_err(|error| Error::invalid(key, error.to_string()))?;
        let schema = Schema::compile(schema).map_err(|problem| Error::invalid(key, problem))?;
        self.schemas.insert(parsed, Arc::new(schema));
        Ok(self)
    }

    /// True if nothing is required.
    pub fn is_empty(&self) -> bool {
        self.schemas.is_empty()
    }

    /// Returns the schemas as they were written.
    pub(crate) fn sources(&self) -> BTreeMap<String, Value> {
        let sources = self.schemas.iter();
        sources.map(|(key, schema)| (key.to_string(), schema.source().clone())).collect()
    }
}

/// Settings of a node in its flow.
#[derive(Clone, Debug, Default)]
pub struct NodeSettings {
    /// The node's part of the namespace, unless the node has one of its own.
    pub segment: Option<String>,
    /// The permissions of the node. Without any, only the access control of items limits it.
    pub permissions: Option<Permissions>,
    /// The number of attempts at the node's work.
    pub retry: RetryRule,
    /// Values that the node requires.
    pub inputs: Contract,
    /// Values that the node produces.
    pub outputs: Contract,
}
