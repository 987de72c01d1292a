//! Texts with placeholders for values: `{{key}}`, or `{{key?}}` for a value that may be missing.
//!
//! A placeholder may lead into a value: `{{weather.result.city}}` is the field `city` of the field `result` of the
//! value under `weather`, unless there is a key with that whole name. List entries are numbered from 0.

use serde_json::{Map, Value};

use crate::Key;
use crate::flow::bounds::PROMPT_BYTES_MAX;
use crate::flow::node::{NodeContext, NodeError};

/// A text with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<TemplatePiece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePiece {
    Text(String),
    Place(Placeholder),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Placeholder {
    path: String,
    optional: bool,
}

impl Template {
    /// Parses a text, or describes the problem with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (inside, behind) =
                after.split_once("}}").ok_or("a place begins with {{ and does not end with }}")?;
            let name = inside.trim();
            let (path, optional) = name.strip_suffix('?').map_or((name, false), |key| (key, true));
            Key::parse(path).map_err(|error| error.to_string())?;
            if !before.is_empty() {
                pieces.push(TemplatePiece::Text(before.to_owned()));
            }
            pieces.push(TemplatePiece::Place(Placeholder { path: path.to_owned(), optional }));
            rest = behind;
        }
        if !rest.is_empty() {
            pieces.push(TemplatePiece::Text(rest.to_owned()));
        }
        Ok(Self(pieces))
    }

    /// Renders the text with values that the node may read. A missing value is an error that names its key.
    pub(crate) async fn fill(&self, context: &NodeContext) -> Result<String, NodeError> {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                TemplatePiece::Text(words) => text.push_str(words),
                TemplatePiece::Place(place) => {
                    text.push_str(
                        &place.value(context).await?.as_ref().map(render_value).unwrap_or_default(),
                    );
                }
            }
            // Checked after every piece, so that the text never grows far beyond the limit.
            if text.len() > PROMPT_BYTES_MAX {
                let message = format!("the text is longer than {PROMPT_BYTES_MAX} bytes");
                return Err(NodeError::new(message));
            }
        }
        Ok(text)
    }

    fn has_places(&self) -> bool {
        self.0.iter().any(|piece| matches!(piece, TemplatePiece::Place(_)))
    }
}

impl Placeholder {
    /// Returns the value, or `None` if it is optional and missing.
    async fn value(&self, context: &NodeContext) -> Result<Option<Value>, NodeError> {
        let (key, inside) = self.split(context);
        let value = if self.optional {
            let Some(value) = context.unpack::<Value>(key).await? else { return Ok(None) };
            value
        } else {
            context.unpack_required(key).await?
        };
        let found = step_into(&value, &inside);
        if found.is_none() && !self.optional {
            let message = format!("`{key}` has nothing at `{}`", inside.join("."));
            return Err(NodeError::wrong_value(key, message));
        }
        Ok(found.cloned())
    }

    /// Splits the path into a key and the path inside its value. The longest prefix that is a readable key wins.
    fn split(&self, context: &NodeContext) -> (&str, Vec<&str>) {
        let keys = context.keys();
        let mut end = self.path.len();
        loop {
            let key = &self.path[..end];
            if keys.iter().any(|known| known.as_str() == key) {
                let inside = self.path[end..].split('.').skip(1).collect();
                return (key, inside);
            }
            // No prefix is a readable key: take the whole path as the key, so that the error names it.
            match key.rfind('.') {
                Some(dot) => end = dot,
                None => return (&self.path, Vec::new()),
            }
        }
    }
}

fn step_into<'v>(value: &'v Value, inside: &[&str]) -> Option<&'v Value> {
    inside.iter().try_fold(value, |value, name| match value {
        Value::Array(entries) => entries.get(name.parse::<usize>().ok()?),
        other => other.get(name),
    })
}

/// JSON whose texts are templates. A text that consists of a single placeholder becomes the value itself, whatever its
/// type. A field whose only placeholder is optional and missing is left out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum JsonTemplate {
    Plain(Value),
    Text(Template),
    Array(Vec<JsonTemplate>),
    Object(Vec<(String, JsonTemplate)>),
}

impl JsonTemplate {
    /// Parses a value. On failure, returns the path of the text that is not a template, and the problem with it.
    pub(crate) fn parse(value: &Value, path: &str) -> Result<Self, (String, String)> {
        let parsed = match value {
            Value::String(text) => {
                Self::Text(Template::parse(text).map_err(|problem| (path.to_owned(), problem))?)
            }
            Value::Array(entries) => {
                let entry = |(index, entry)| Self::parse(entry, &format!("{path}[{index}]"));
                Self::Array(entries.iter().enumerate().map(entry).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let field = |(name, value): (&String, &Value)| {
                    let parsed = Self::parse(value, &format!("{path}.{name}"));
                    parsed.map(|parsed| (name.clone(), parsed))
                };
                Self::Object(fields.iter().map(field).collect::<Result<_, _>>()?)
            }
            other => Self::Plain(other.clone()),
        };
        // Parts without placeholders stay plain JSON, which can be checked before the flow runs.
        Ok(if parsed.has_places() { parsed } else { Self::Plain(value.clone()) })
    }

    /// True if the value depends on the backpack.
    pub(crate) fn has_places(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Text(text) => text.has_places(),
            Self::Array(entries) => entries.iter().any(Self::has_places),
            Self::Object(fields) => fields.iter().any(|(_, field)| field.has_places()),
        }
    }

    /// Fills in values that the node may read. Returns `None` for a single optional placeholder without a value.
    pub(crate) async fn fill(&self, context: &NodeContext) -> Result<Option<Value>, NodeError> {
        Ok(Some(match self {
            Self::Plain(value) => value.clone(),
            Self::Text(text) => match &text.0[..] {
                [TemplatePiece::Place(place)] => return place.value(context).await,
                _ => Value::from(text.fill(context).await?),
            },
            Self::Array(entries) => {
                let mut filled = Vec::with_capacity(entries.len());
                for entry in entries {
                    filled.extend(Box::pin(entry.fill(context)).await?);
                }
                Value::Array(filled)
            }
            Self::Object(fields) => {
                let mut filled = Map::new();
                for (name, field) in fields {
                    if let Some(value) = Box::pin(field.fill(context)).await? {
                        filled.insert(name.clone(), value);
                    }
                }
                Value::Object(filled)
            }
        }))
    }
}

/// Renders a value for a model: a text as it is, anything else as JSON.
pub(crate) fn render_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
