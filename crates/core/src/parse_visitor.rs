//! Deserialization of a type from its text form, without an allocation if the format allows it.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Error, Visitor};

/// Visits a string and parses it with [`FromStr`].
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
