//! A contract in words, for the prompt of a step that has to keep it.

use std::fmt::{self, Write as _};

use super::definition::ContractDefinition;
use super::shape::{Field, Presence, Shape};

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { min_chars: 0 | 1, max_bytes } => {
                write!(formatter, "text of at most {max_bytes} bytes")
            }
            Self::Text { min_chars, max_bytes } => {
                write!(
                    formatter,
                    "text of at least {min_chars} characters and at most {max_bytes} bytes"
                )
            }
            Self::Id => formatter.write_str("an id of a-z, 0-9, `_` and `-`"),
            Self::OneOf { values } => {
                for (index, value) in values.iter().enumerate() {
                    let separator = if index == 0 { "" } else { " | " };
                    write!(formatter, "{separator}\"{value}\"")?;
                }
                Ok(())
            }
            Self::Exactly { value } => write!(formatter, "{value}"),
            Self::Integer { min, max } => write!(formatter, "a whole number from {min} to {max}"),
            Self::Boolean => formatter.write_str("true | false"),
            Self::List { items, max_items } => {
                write!(formatter, "a list of at most {max_items}, each {items}")
            }
            Self::Map { values, max_entries } => {
                write!(
                    formatter,
                    "an object of at most {max_entries} entries, each an id with {values}"
                )
            }
            Self::Object { fields, open } => {
                formatter.write_str("{")?;
                for (index, field) in fields.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    let mark = if field.presence == Presence::Required { "" } else { "?" };
                    write!(formatter, "{separator}{}{mark}: {}", field.name, field.shape)?;
                }
                formatter.write_str(if *open { ", …}" } else { "}" })
            }
            Self::AnyOf { shapes } => {
                for (index, shape) in shapes.iter().enumerate() {
                    let separator = if index == 0 { "" } else { " or " };
                    write!(formatter, "{separator}{shape}")?;
                }
                Ok(())
            }
            Self::AnyObject { max_bytes } => {
                write!(formatter, "an object of at most {max_bytes} bytes")
            }
        }
    }
}

impl fmt::Display for Presence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required => formatter.write_str("always"),
            Self::Optional => formatter.write_str("optional"),
            Self::When { field, equals } => write!(formatter, "when {field} is \"{equals}\""),
        }
    }
}

impl ContractDefinition {
    /// Returns the lines for a prompt: the contract, then every field, the required ones first. None is left
    /// out, because an artifact without it would be refused.
    pub fn requirements(&self) -> String {
        let mut text = format!(
            "- Artifact contract: {}\n- Provide artifact with fields:\n  - kind: \"{}\"",
            self.contract_ref, self.artifact_kind
        );
        let (required, others): (Vec<_>, Vec<_>) =
            self.fields.iter().partition(|field| field.presence == Presence::Required);
        for Field { name, presence, shape } in required.into_iter().chain(others) {
            let written = match presence {
                Presence::Required => write!(text, "\n  - {name}: {shape}"),
                other => write!(text, "\n  - {name} ({other}): {shape}"),
            };
            written.expect("writing to a string does not fail");
        }
        text
    }
}
