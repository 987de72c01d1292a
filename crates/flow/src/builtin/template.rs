//! Prompts with places for values: `{{key}}`, or `{{key?}}` for one that may be missing.

use serde_json::Value;

use crate::bounds::PROMPT_BYTES_MAX;
use crate::node::{Context, NodeError};

/// A text with places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Place { key: String, optional: bool },
}

impl Template {
    /// Reads a text, or says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (inside, behind) =
                after.split_once("}}").ok_or("a place begins with {{ and does not end with }}")?;
            let name = inside.trim();
            let (key, optional) = name.strip_suffix('?').map_or((name, false), |key| (key, true));
            piton_backpack::Key::parse(key).map_err(|error| error.to_string())?;
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(Piece::Place { key: key.to_owned(), optional });
            rest = behind;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(Self(pieces))
    }

    /// The text with the values that the node may read. A value that is missing is an error that names its key.
    pub(crate) async fn fill(&self, context: &Context) -> Result<String, NodeError> {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(words) => text.push_str(words),
                Piece::Place { key, optional: true } => {
                    let value: Option<Value> = context.unpack(key).await?;
                    text.push_str(&value.as_ref().map(shown).unwrap_or_default());
                }
                Piece::Place { key, optional: false } => {
                    text.push_str(&shown(&context.unpack_required(key).await?));
                }
            }
            if text.len() > PROMPT_BYTES_MAX {
                let message = format!("the prompt is longer than {PROMPT_BYTES_MAX} bytes");
                return Err(NodeError::new(message));
            }
        }
        Ok(text)
    }
}

/// A value as a model reads it: a text as it is, anything else as JSON.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
