//! Changes one setting of a file and leaves the rest as its author wrote it.
//!
//! *Invariants*: the changed text is parsed again before it is returned, so it sets what was asked for and is still a
//! valid file.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::file::ConfigFile;
use super::key::SettingKey;
use super::layer::SettingSource;
use super::problem::ConfigProblem;
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
    #[error("there is no place in the file to put the setting")]
    NoPlace,
}

/// Returns the text of a user's file after `key` was set to `value`, a name or a number.
pub fn set(text: &str, key: SettingKey, value: &str) -> Result<String, EditError> {
    let base = Base { directory: Path::new("/"), home: None };
    let written = match key.form().of_text(value, base) {
        Ok(_) if matches!(key.form(), ValueForm::Whole { .. }) => value.to_owned(),
        Ok(_) => toml_text(value),
        Err(_) => {
            return Err(EditError::NotTaken {
                value: value.to_owned(),
                words: key.form().describe(),
            });
        }
    };
    let read = |text: &str| {
        ConfigFile { name: "config.toml", place: SettingSource::User, base, text }.read()
    };
    let (before, problems) = read(text);
    if !problems.is_empty() {
        return Err(EditError::Broken(problems));
    }
    // The edit works on spans of the text and may misjudge an unusual layout. So the result is accepted only if it
    // parses, sets exactly this value, and changes no other setting.
    let edited = edit(text, key, &written);
    let (mut after, problems) = read(&edited);
    let wanted = key.form().of_text(value, base).ok();
    let is_set = after.0.remove(&key).map(|said| said.value) == wanted;
    let values =
        |layer: super::layer::Layer| layer.0.into_iter().map(|(key, said)| (key, said.value));
    let mut rest = before;
    rest.0.remove(&key);
    if problems.is_empty() && is_set && values(rest).eq(values(after)) {
        Ok(edited)
    } else {
        Err(EditError::NoPlace)
    }
}

fn edit(text: &str, key: SettingKey, written: &str) -> String {
    let (table, _) = DeTable::parse_recoverable(text);
    let line = format!("{} = {written}\n", key.name());
    let Some(section) = table.get_ref().get(key.section()) else {
        // A new section goes to the end, separated by an empty line.
        let gap = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        return format!("{text}{end}{gap}[{}]\n{line}", key.section());
    };
    if let Some(found) = entry(section, key.name()) {
        // Only the old value is replaced, so comments and layout stay.
        let span = found.span();
        return [&text[..span.start], written, &text[span.end..]].concat();
    }
    // After the line of the section's header. A section in another form, such as an inline table, fails the second
    // parse.
    let head = section.span().end;
    let end = text[head..].find('\n').map(|newline| head + newline + 1);
    let (before, after) = text.split_at(end.unwrap_or(text.len()));
    let break_line = if before.ends_with('\n') { "" } else { "\n" };
    [before, break_line, &line, after].concat()
}

fn entry<'a>(section: &'a Spanned<DeValue<'_>>, name: &str) -> Option<&'a Spanned<DeValue<'a>>> {
    section.get_ref().as_table()?.get(name)
}

/// Returns a text as a TOML string. Names and paths have no control characters.
fn toml_text(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}
