//! The required shape of a value, as plain data.
//!
//! Its `Display` is the wording for the prompt of a step that has to submit such a value.
//!
//! *Invariants*: anything without an order of its own (fields, allowed names) is kept sorted by bytes, so
//! that two shapes that allow the same are equal and have one digest.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a value must look like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Shape {
    /// Text that is not empty.
    Text {
        /// How many characters it has at least.
        min_chars: u32,
        /// How many UTF-8 bytes it has at most.
        max_bytes: u32,
    },
    /// An id: 1 to 128 characters out of `a-z`, `0-9`, `_` and `-`.
    Id,
    /// One of some names.
    OneOf {
        /// The names, sorted.
        values: Vec<String>,
    },
    /// One whole number and no other, such as a version.
    Exactly {
        /// The number.
        value: u32,
    },
    /// A whole number.
    Integer {
        /// The smallest.
        min: u32,
        /// The largest.
        max: u32,
    },
    /// True or false.
    Boolean,
    /// A list.
    List {
        /// What every item looks like.
        items: Box<Shape>,
        /// How many there are at most.
        max_items: u32,
    },
    /// An object whose keys are ids.
    Map {
        /// What every value looks like.
        values: Box<Shape>,
        /// How many entries there are at most.
        max_entries: u32,
    },
    /// An object with fields of its own.
    Object {
        /// The fields, sorted by name.
        fields: Vec<Field>,
        /// Whether it may have further fields.
        open: bool,
    },
    /// Any of several shapes.
    AnyOf {
        /// The shapes, in the order in which they are tried.
        shapes: Vec<Shape>,
    },
    /// Any object, up to a size.
    AnyObject {
        /// How many bytes its canonical JSON has at most.
        max_bytes: u32,
    },
}

/// One field of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// When it must be there.
    pub presence: Presence,
    /// What its value looks like.
    pub shape: Shape,
}

/// When a field must be there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Presence {
    /// Always.
    Required,
    /// It need not.
    Optional,
    /// Exactly when another field of the same object is a certain text.
    When {
        /// The other field.
        field: String,
        /// The text.
        equals: String,
    },
}

impl Shape {
    /// Creates the shape of a text of 1 to `max_bytes` bytes.
    pub const fn text(max_bytes: u32) -> Self {
        Self::Text { min_chars: 1, max_bytes }
    }

    /// Creates the shape of one of `values`, in whatever order they are given.
    pub fn one_of(values: &[&str]) -> Self {
        let mut values: Vec<_> = values.iter().map(|&value| value.to_owned()).collect();
        values.sort_unstable();
        values.dedup();
        Self::OneOf { values }
    }

    /// Creates the shape of a list of at most `max_items`.
    pub fn list(items: Self, max_items: u32) -> Self {
        Self::List { items: Box::new(items), max_items }
    }

    /// Creates the shape of a list of at most `max_items` texts of at most `max_bytes` each.
    pub fn texts(max_items: u32, max_bytes: u32) -> Self {
        Self::list(Self::text(max_bytes), max_items)
    }

    /// Creates the shape of an object with these fields and no others, in whatever order they are given.
    pub fn object(fields: Vec<Field>) -> Self {
        Self::Object { fields: sorted(fields), open: false }
    }

    /// Creates the shape of an object with these fields and possibly others.
    pub fn open_object(fields: Vec<Field>) -> Self {
        Self::Object { fields: sorted(fields), open: true }
    }
}

impl Field {
    /// Creates a field that must be present.
    pub fn required(name: &str, shape: Shape) -> Self {
        Self { name: name.to_owned(), presence: Presence::Required, shape }
    }

    /// Creates a field that may be left out.
    pub fn optional(name: &str, shape: Shape) -> Self {
        Self { name: name.to_owned(), presence: Presence::Optional, shape }
    }

    /// Creates a field that must be present when `field` is `equals`, and must be absent otherwise.
    pub fn when(name: &str, field: &str, equals: &str, shape: Shape) -> Self {
        let presence = Presence::When { field: field.to_owned(), equals: equals.to_owned() };
        Self { name: name.to_owned(), presence, shape }
    }
}

/// Sorts `fields` by the bytes of their names.
pub(super) fn sorted(mut fields: Vec<Field>) -> Vec<Field> {
    fields.sort_by(|one, other| one.name.cmp(&other.name));
    fields
}

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
