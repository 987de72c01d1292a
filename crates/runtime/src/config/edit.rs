//! Changes one setting of a file and leaves the rest as its author wrote it.
//!
//! *Invariants*: the changed text is parsed again before it is returned, so it sets what was asked for and is still a
//! valid file.

use std::path::Path;

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
    /// The file is written in a way that leaves no place for the line.
    #[error("the file has no place for the setting")]
    NoPlace,
}

/// Returns the text of a user's file after `key` was set to `value`, a name or a number.
pub fn set(text: &str, key: SettingKey, value: &str) -> Result<String, EditError> {
    let base = Base { directory: Path::new("/"), home: None };
    let form = key.row().form;
    let not_taken = || EditError::NotTaken { value: value.to_owned(), words: form.describe() };
    let wanted = form.of_text(value, base).map_err(|_| not_taken())?;
    let written = match form {
        ValueForm::Whole { .. } => value.parse().map_err(|_| not_taken())?,
        _ => value.into(),
    };
    let read = |text: &str| {
        ConfigFile { name: "config.toml", place: SettingSource::User, base, text }.read()
    };
    let (before, problems) = read(text);
    if !problems.is_empty() {
        return Err(EditError::Broken(problems));
    }
    let edited = edit(text, key, written).ok_or(EditError::NoPlace)?;
    let (mut after, problems) = read(&edited);
    let is_set = after.0.remove(&key).map(|said| said.value) == Some(wanted);
    let values = |settings: Settings| settings.0.into_iter().map(|(key, said)| (key, said.value));
    let mut rest = before;
    rest.0.remove(&key);
    if problems.is_empty() && is_set && values(rest).eq(values(after)) {
        Ok(edited)
    } else {
        Err(EditError::NoPlace)
    }
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
