//! Positions in a JSON text (RFC 6901).

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// A JSON pointer, such as `/steps/3/title`. The whole text is the empty pointer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Pointer(String);

impl Pointer {
    /// Returns the pointer to the whole text.
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// Returns the pointer to the field `name` of the object here.
    #[must_use]
    pub fn field(&self, name: &str) -> Self {
        Self(format!("{}/{}", self.0, name.replace('~', "~0").replace('/', "~1")))
    }

    /// Returns the pointer to the item at `index` of the array here.
    #[must_use]
    pub fn item(&self, index: usize) -> Self {
        Self(format!("{}/{index}", self.0))
    }

    /// Returns the pointer as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if this is `outer` or inside it.
    pub fn is_within(&self, outer: &Self) -> bool {
        // The separator keeps `/steps/1` from containing `/steps/10`.
        self.0.strip_prefix(&outer.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}
