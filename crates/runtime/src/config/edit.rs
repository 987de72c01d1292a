//! Changes one setting of a file and leaves the rest as its author wrote it.
//!
//! *Invariants*: the changed text is parsed again before it is returned, so it sets what was asked for and is still a
//! valid file.

use std::path::Path;

use piton_core::bounds::EXCERPT_BYTES_MAX;
use piton_core::shorten;
use toml_edit::{DocumentMut, Item};

use super::file::{ConfigFile, ConfigProblem};
use super::settings::{SettingSource, Settings};
use super::table::SettingKey;
use super::value::{Base, ValueForm};

/// Reasons that a setting cannot be changed in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The file has other problems.
    #[error("the file has problems of its own")]
    Broken(Vec<ConfigProblem>),
    /// The setting does not accept the value.
    #[error("`{value}` is not {words}")]
    NotTaken {
        value: String,
        /// Description of the accepted values.
        words: String,
    },
    /// The value has the right form and does not work.
    #[error("{reason}")]
    Refused { reason: String, advice: String },
    /// The file is written in a way that leaves no place for the line.
    #[error("the file has no place for the setting")]
    NoPlace,
}

/// Returns the text of a user's file after `key` was set to `value`, as a variable of the environment would set it.
pub fn set(text: &str, key: SettingKey, value: &str) -> Result<String, EditError> {
    change(text, key, Some(value), Base { directory: Path::new("/"), home: None })
}

/// Returns the text of a user's file after `key` was set to `value`, or after its line was removed.
pub(super) fn change(
    text: &str,
    key: SettingKey,
    value: Option<&str>,
    base: Base<'_>,
) -> Result<String, EditError> {
    let form = key.row().form;
    let not_taken = |value: &str| EditError::NotTaken {
        value: shorten(value, EXCERPT_BYTES_MAX).into_owned(),
        words: form.describe(),
    };
    let wanted = value.map(|value| form.of_text(value, base).map_err(|_| not_taken(value)));
    let wanted = wanted.transpose()?;
    let read = |text: &str| {
        ConfigFile { name: "config.toml", place: SettingSource::User, base, text }.read()
    };
    let (before, problems) = read(text);
    if !problems.is_empty() {
        return Err(EditError::Broken(problems));
    }
    let edited = match value {
        Some(value) => edit(text, key, written(form, value).ok_or_else(|| not_taken(value))?),
        None => remove(text, key),
    };
    let edited = edited.ok_or(EditError::NoPlace)?;
    // Read as any other file: what counts is the result, not how it was made.
    let (mut after, problems) = read(&edited);
    let is_set = after.0.remove(&key).map(|said| said.value) == wanted;
    let values = |settings: Settings| settings.0.into_iter().map(|(key, said)| (key, said.value));
    let mut rest = before;
    rest.0.remove(&key);
    if problems.is_empty() && is_set && values(rest).eq(values(after)) {
        Ok(edited)
    } else {
        Err(EditError::NoPlace)
    }
}

/// Returns the value as a file has it.
fn written(form: ValueForm, value: &str) -> Option<toml_edit::Value> {
    Some(match form {
        ValueForm::Whole { .. } => value.parse::<i64>().ok()?.into(),
        ValueForm::Paths => {
            let paths = std::env::split_paths(value).filter(|path| !path.as_os_str().is_empty());
            let paths: Option<Vec<String>> =
                paths.map(|path| path.to_str().map(str::to_owned)).collect();
            toml_edit::Array::from_iter(paths?).into()
        }
        ValueForm::Path | ValueForm::Name(_) | ValueForm::Address | ValueForm::Url => value.into(),
    })
}

/// Removes one key with the comments above it. A text without it stays as it is.
fn remove(text: &str, key: SettingKey) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    if let Some(section) = document.get_mut(key.section()) {
        section.as_table_like_mut()?.remove(key.name());
    }
    Some(document.to_string())
}

/// Sets one key and leaves spaces and comments around it alone. Returns nothing if the section is no table.
fn edit(text: &str, key: SettingKey, mut value: toml_edit::Value) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let Some(section) = document.get_mut(key.section()) else {
        // At the end of the text. The library would put it before the comments that a file ends with.
        let gap = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        return Some(format!("{text}{end}{gap}[{}]\n{} = {value}\n", key.section(), key.name()));
    };
    let table = section.as_table_like_mut()?;
    if let Some(old) = table.get_mut(key.name()) {
        *value.decor_mut() = old.as_value()?.decor().clone();
        *old = Item::Value(value);
    } else {
        table.insert(key.name(), Item::Value(value));
        // On one line, a new entry needs the spaces around it adjusted.
        section.as_inline_table_mut().map(toml_edit::InlineTable::fmt);
    }
    Some(document.to_string())
}
