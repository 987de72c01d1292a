//! Common implementations for types with a checked text as their value.
//!
//! A type that has `as_str` and [`FromStr`](std::str::FromStr) gets the rest from here: serialization, its JSON Schema
//! and its display. Display is separate, because a secret is read and written like any text but must not be shown.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Error, Visitor};

/// Reads a type from its text with [`FromStr`], without an allocation if the format allows it.
pub struct ParseVisitor<T> {
    expecting: &'static str,
    target: PhantomData<T>,
}

impl<T> ParseVisitor<T> {
    /// Creates a visitor. `expecting` completes the sentence "expected …".
    pub const fn new(expecting: &'static str) -> Self {
        Self { expecting, target: PhantomData }
    }
}

impl<T> Visitor<'_> for ParseVisitor<T>
where
    T: FromStr,
    T::Err: fmt::Display,
{
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.expecting)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

/// Declares a text that is checked when it is made, with everything of [`text_form!`] and [`shown_as_text!`]. Cheap to
/// clone.
///
/// After the error come the arguments of [`text_form!`] and an expression over the text that returns the error.
#[macro_export]
macro_rules! checked_text {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident: $error:ty, $expecting:expr, $pattern:expr, $max_bytes:expr,
        |$text:ident| $check:expr
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility struct $name(::std::sync::Arc<str>);

        impl $name {
            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $error;

            fn from_str($text: &str) -> ::std::result::Result<Self, $error> {
                $check?;
                Ok(Self($text.into()))
            }
        }

        $crate::text_form!($name, $expecting, $pattern, $max_bytes);
        $crate::shown_as_text!($name);
    };
}

/// Implements `TryFrom<&str>`, serde and the JSON Schema.
///
/// `$expecting` completes the sentence "expected …".
#[macro_export]
macro_rules! text_form {
    ($name:ident, $expecting:expr, $pattern:expr, $max_bytes:expr) => {
        impl TryFrom<&str> for $name {
            type Error = <$name as ::std::str::FromStr>::Err;

            fn try_from(text: &str) -> ::std::result::Result<Self, Self::Error> {
                text.parse()
            }
        }

        $crate::text_serde!($name, $expecting);
        $crate::string_schema!($name, { "pattern": $pattern, "maxLength": $max_bytes });
    };
}

/// Serializes and deserializes a type as its text.
#[doc(hidden)]
#[macro_export]
macro_rules! text_serde {
    ($name:ident, $expecting:expr) => {
        impl $crate::macro_support::serde::Serialize for $name {
            fn serialize<S: $crate::macro_support::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> $crate::macro_support::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::macro_support::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                deserializer.deserialize_str($crate::macro_support::ParseVisitor::new($expecting))
            }
        }
    };
}

/// Displays a type as its text, and allows lookups in maps by text.
#[macro_export]
macro_rules! shown_as_text {
    ($name:ident) => {
        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, formatter)
            }
        }

        impl ::std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                self.as_str()
            }
        }
    };
}

/// Displays, serializes and deserializes a type that lends its text through a method `with_text`, without allocating it.
macro_rules! lent_text {
    ($name:ident, $expecting:expr) => {
        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                self.with_text(|text| formatter.pad(text))
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, formatter)
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.with_text(|text| serializer.serialize_str(text))
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::text_form::ParseVisitor::new($expecting))
            }
        }
    };
}
pub(crate) use lent_text;

/// Implements the schema of a type that is a string.
#[doc(hidden)]
#[macro_export]
macro_rules! string_schema {
    ($name:ident, { $($key:literal: $value:expr),+ $(,)? }) => {
        impl $crate::macro_support::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            // Types of different crates may have one name, and are not one type.
            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(
                _: &mut $crate::macro_support::schemars::SchemaGenerator,
            ) -> $crate::macro_support::schemars::Schema {
                $crate::macro_support::schemars::json_schema!({
                    "type": "string",
                    $($key: $value),+
                })
            }
        }
    };
}
