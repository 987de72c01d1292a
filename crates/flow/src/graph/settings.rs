//! What a flow says about one of its nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_backpack::{Key, Permissions};
use serde_json::Value;

use crate::error::Error;
use crate::node::RetryRule;
use crate::schema::Schema;

/// What values under certain keys have to look like.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    pub(crate) schemas: BTreeMap<Key, Arc<Schema>>,
}

impl Contract {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value under `key` is there and fits `schema`, a JSON Schema.
    pub fn with(mut self, key: &str, schema: &Value) -> Result<Self, Error> {
        let parsed = Key::parse(key).map_err(|error| Error::invalid(key, error.to_string()))?;
        let schema = Schema::compile(schema).map_err(|problem| Error::invalid(key, problem))?;
        self.schemas.insert(parsed, Arc::new(schema));
        Ok(self)
    }

    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.schemas.is_empty()
    }

    /// The schemas as they were written.
    pub(crate) fn sources(&self) -> BTreeMap<String, Value> {
        let sources = self.schemas.iter();
        sources.map(|(key, schema)| (key.to_string(), schema.source().clone())).collect()
    }
}

/// What a flow says about one of its nodes.
#[derive(Clone, Debug, Default)]
pub struct NodeSettings {
    /// Its part of the namespace, unless the node has one of its own.
    pub segment: Option<String>,
    /// What it may touch; none declared means everything but what items say themselves.
    pub permissions: Option<Permissions>,
    /// How often its work is tried.
    pub retry: RetryRule,
    /// What it needs.
    pub inputs: Contract,
    /// What it hands on.
    pub outputs: Contract,
}
