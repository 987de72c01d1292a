//! The machine-readable part of an error.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::bounds::DETAILS_BYTES_MAX;
use crate::canonical::{self, CanonicalError};

/// A JSON object of at most 4096 bytes in canonical form.
///
/// Agents read details and tests compare them, so they must be the same for the same failure. They hold ids, sizes,
/// names and positions; never a path of the file system, a time, or text of unbounded length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct Details(Map<String, Value>);

/// Reason that a value cannot be the details of an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DetailsError {
    #[error("details must be a JSON object")]
    NotAnObject,
    #[error(
        "details have {measured_bytes} bytes of canonical JSON, {DETAILS_BYTES_MAX} are allowed"
    )]
    TooLarge { measured_bytes: usize },
    #[error("details have no canonical form: {0}")]
    NotCanonical(#[from] CanonicalError),
}

impl Details {
    /// Checks an object.
    pub fn new(object: Map<String, Value>) -> Result<Self, DetailsError> {
        // The canonical form is measured, because it does not depend on how the caller formats JSON.
        let measured_bytes = canonical::encode(&object)?.len();
        if measured_bytes > DETAILS_BYTES_MAX {
            return Err(DetailsError::TooLarge { measured_bytes });
        }
        Ok(Self(object))
    }

    /// Serializes `value` into details.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, DetailsError> {
        match serde_json::to_value(value) {
            Ok(Value::Object(object)) => Self::new(object),
            Ok(_) => Err(DetailsError::NotAnObject),
            Err(error) => Err(DetailsError::NotCanonical(CanonicalError::Unserializable {
                message: error.to_string(),
            })),
        }
    }

    /// Returns the object.
    pub const fn as_object(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl TryFrom<Map<String, Value>> for Details {
    type Error = DetailsError;

    fn try_from(object: Map<String, Value>) -> Result<Self, DetailsError> {
        Self::new(object)
    }
}

impl From<Details> for Map<String, Value> {
    fn from(details: Details) -> Self {
        details.0
    }
}

impl schemars::JsonSchema for Details {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Details".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "description": format!("At most {DETAILS_BYTES_MAX} bytes of canonical JSON."),
        })
    }
}
