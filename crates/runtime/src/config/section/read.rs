//! From the text of a section to its type.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::found::{Section, Wrong};
use crate::config::layer::SettingSource;

/// Why a section does not have its form, and where.
pub(in crate::config) struct Unreadable {
    pub(in crate::config) at: Option<Range<usize>>,
    pub(in crate::config) reason: String,
}

/// Everything that is wrong with a section of type `T`.
pub(super) fn judge<T: Section>(
    value: Spanned<DeValue<'_>>,
    place: SettingSource,
) -> Result<Vec<Wrong>, Unreadable> {
    Ok(parse::<T>(value)?.check(place))
}

/// The section of type `T` in the text of a file that was read without a problem; nothing if it has none.
pub(in crate::config) fn take<T: Section>(text: &str) -> Option<T> {
    let (table, _) = DeTable::parse_recoverable(text);
    let value = table.into_inner().remove(T::KEY.as_str())?;
    parse(value).ok()
}

fn parse<T: Section>(value: Spanned<DeValue<'_>>) -> Result<T, Unreadable> {
    T::deserialize(ValueDeserializer::from(value))
        .map_err(|error| Unreadable { at: error.span(), reason: error.message().to_owned() })
}
