//! Validation of the items in use against a JSON Schema.

use serde_json::{Map, Value};

use crate::bounds::VIOLATIONS_MAX;
use crate::debug_handle::DebugHandle;
use crate::error::Error;
use crate::state::item::cut;

/// A violation of the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// A JSON pointer to the violation. Its first part is the key.
    pub path: String,
    /// A description of the violation. The value of a protected item is not shown.
    pub message: String,
}

/// The result of a validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    /// The violations, at most 100, in the order of the state.
    pub violations: Vec<Violation>,
    /// Number of further violations.
    pub left_out: usize,
}

impl Validation {
    /// True if the state conforms to the schema.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }
}

impl DebugHandle {
    /// Validates all items in use, as one object of keys and values, against a schema.
    pub fn validate(&self, schema: &Value) -> Result<Validation, Error> {
        let validator = jsonschema::validator_for(schema)
            .map_err(|problem| Error::BadSchema { problem: cut(&problem.to_string()) })?;
        let items = self.items();
        let mut state = Map::new();
        for item in &items {
            state.insert(item.key().to_string(), item.value()?);
        }
        let state = Value::Object(state);
        let is_protected = |path: &str| {
            let key = path.trim_start_matches('/').split('/').next().unwrap_or_default();
            let key = key.replace("~1", "/").replace("~0", "~");
            // A violation of the whole object may show all of it, including protected items.
            path.is_empty()
                || items
                    .iter()
                    .any(|item| item.key().as_str() == key && item.labels().is_protected())
        };
        let mut found = Validation::default();
        for error in validator.iter_errors(&state) {
            if found.violations.len() == VIOLATIONS_MAX {
                found.left_out += 1;
                continue;
            }
            let path = error.instance_path().to_string();
            let message =
                if is_protected(&path) { error.masked().to_string() } else { error.to_string() };
            found.violations.push(Violation { path, message: cut(&message) });
        }
        Ok(found)
    }

    /// Validates all items in use against the schema that a type derives.
    pub fn validate_as<T: schemars::JsonSchema>(&self) -> Result<Validation, Error> {
        self.validate(schemars::schema_for!(T).as_value())
    }
}
