//! JSON Schemas that describe the shape of values.
//!
//! *Invariants*: a description of a violation never quotes the value. Nothing is fetched: a schema that refers to
//! another document does not compile.

use serde_json::Value;

use crate::flow::bounds::PROBLEMS_MAX;

/// A compiled schema with its source.
pub(crate) struct Schema {
    source: Value,
    validator: jsonschema::Validator,
}

impl Schema {
    /// Compiles a schema, or describes the problem with it.
    pub(crate) fn compile(source: &Value) -> Result<Self, String> {
        let validator = jsonschema::validator_for(source)
            .map_err(|error| format!("it is not a JSON Schema: {}", error.masked()))?;
        Ok(Self { source: source.clone(), validator })
    }

    /// Returns the JSON that the schema was compiled from.
    pub(crate) const fn source(&self) -> &Value {
        &self.source
    }

    /// Returns all violations by a value, each with its path inside the value.
    pub(crate) fn violations(&self, value: &Value) -> Vec<String> {
        let errors = self.validator.iter_errors(value).take(PROBLEMS_MAX);
        errors
            .map(|error| {
                let path = error.instance_path().to_string();
                let words = error.masked().to_string();
                if path.is_empty() { words } else { format!("{path}: {words}") }
            })
            .collect()
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Schema({})", self.source)
    }
}
