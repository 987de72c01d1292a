//! What came of a call, without the protocol.

use serde::Serialize;
use serde_json::Value;

/// What came of a call.
///
/// *Invariants*: the structured content is what is recorded, and the text says the same for a model. What is true of
/// one call only stands beside them.
#[derive(Clone, Debug)]
pub struct Told {
    pub(crate) structured: Value,
    pub(crate) text: String,
    pub(crate) beside: Option<String>,
}

impl Told {
    /// A reply, as data and as text.
    pub fn new<T: Serialize>(structured: &T, text: String) -> Self {
        let structured =
            serde_json::to_value(structured).expect("replies have text keys and finite numbers");
        Self { structured, text, beside: None }
    }

    /// The same, with what is true of this call only.
    #[must_use]
    pub fn beside(self, beside: Option<String>) -> Self {
        Self { beside, ..self }
    }
}
