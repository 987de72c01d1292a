//! Short lists that are never empty.

use serde::{Deserialize, Serialize};

use super::payload_error::PayloadError;

/// A list of 1 to `MAX` items. Where an empty list would be allowed, the field is optional and left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<T>", bound(deserialize = "T: Deserialize<'de>"))]
pub struct BoundedList<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> BoundedList<T, MAX> {
    /// Creates a list, unless there are no items or too many.
    pub fn new(items: Vec<T>) -> Result<Self, PayloadError> {
        if items.is_empty() || items.len() > MAX {
            return Err(PayloadError::Count { found: items.len(), max: MAX });
        }
        Ok(Self(items))
    }

    /// Creates a list, or `None` if there are no items; an error if there are too many.
    pub fn optional(items: Vec<T>) -> Result<Option<Self>, PayloadError> {
        if items.is_empty() { Ok(None) } else { Self::new(items).map(Some) }
    }

    /// Returns the items.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }
}

impl<T, const MAX: usize> TryFrom<Vec<T>> for BoundedList<T, MAX> {
    type Error = PayloadError;

    fn try_from(items: Vec<T>) -> Result<Self, PayloadError> {
        Self::new(items)
    }
}

impl<T: schemars::JsonSchema, const MAX: usize> schemars::JsonSchema for BoundedList<T, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("BoundedList{MAX}{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "array",
            "items": generator.subschema_for::<T>(),
            "minItems": 1,
            "maxItems": MAX,
        })
    }
}
