//! Conversion of a section's text into its type.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::found::{Section, Wrong};
use crate::config::layer::SettingSource;

/// Reason that a section does not have its form, with the position.
pub(in crate::config) struct Unreadable {
    pub(in crate::config) at: Option<Range<usize>>,
    pub(in crate::config) reason: String,
}

/// Returns every problem of a section of type `T`.
pub(super) fn judge<T: Section>(
    value: Spanned<DeValue<'_>>,
    place: SettingSource,
) -> Result<Vec<Wrong>, Unreadable> {
    Ok(parse::<T>(value)?.check(place))
}

/// Returns the section of type `T` in the text of a file that was read without problems; `None` if it has none.
pub(in crate::config) fn take<T: Section>(text: &str) -> Option<T> {
    let (table, _) = DeTable::parse_recoverable(text);
    let value = table.into_inner().remove(T::KEY.as_str())?;
    parse(value).ok()
}

fn parse<T: Section>(value: Spanned<DeValue<'_>>) -> Result<T, Unreadable> {
    T::deserialize(ValueDeserializer::from(value))
        .map_err(|error| Unreadable { at: error.span(), reason: error.message().to_owned() })
}
