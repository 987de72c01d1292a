//! The table of sections, and the interface that each of them implements.

use std::ops::Range;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::context::ContextSection;
use super::models::ModelsSection;
use super::state::StateSection;
use super::workspaces::WorkspacesSection;
use crate::config::{SectionShown, SettingSource};

piton_core::closed_set! {
    /// Names a section.
    pub enum SectionKey {
        /// The providers of models.
        Models => "models",
        /// The backpack that agents are attached to.
        State => "state",
        /// The agents that work with context.
        Context => "context",
        /// The files that agents may touch.
        Workspaces => "workspaces",
    }
}

impl SectionKey {
    /// True if it may be in a file at `place`.
    pub const fn may_stand_in(self, place: SettingSource) -> bool {
        match (self, place) {
            // A project that was cloned must not decide where a user's keys are sent.
            (Self::Models, place) => !matches!(place, SettingSource::Project),
            (Self::State | Self::Context | Self::Workspaces, _) => true,
        }
    }

    /// Returns an example, as a file has it.
    pub fn example(self) -> &'static str {
        self.row().example
    }

    /// Describes the section in one sentence.
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// The table.
    pub(in crate::config) fn row(self) -> SectionRow {
        match self {
            Self::Models => SectionRow::of::<ModelsSection>(),
            Self::State => SectionRow::of::<StateSection>(),
            Self::Context => SectionRow::of::<ContextSection>(),
            Self::Workspaces => SectionRow::of::<WorkspacesSection>(),
        }
    }
}

/// A row of the table.
pub(in crate::config) struct SectionRow {
    example: &'static str,
    meaning: &'static str,
    /// Returns every problem of the section.
    pub(in crate::config) judge:
        fn(Spanned<DeValue<'_>>, SettingSource) -> Result<Vec<Wrong>, Unreadable>,
    pub(in crate::config) schema: fn() -> Schema,
}

impl SectionRow {
    fn of<T: Section>() -> Self {
        let judge = |value: Spanned<DeValue<'_>>, place| Ok(parse::<T>(value)?.check(place));
        let schema = || schemars::schema_for!(T);
        Self { example: T::EXAMPLE, meaning: T::MEANING, judge, schema }
    }
}

/// The type that a section of a file is parsed into.
pub trait Section: DeserializeOwned + JsonSchema {
    /// The key of the section.
    const KEY: SectionKey;

    /// Describes the section in one sentence.
    const MEANING: &str;

    /// An example, as a file has it.
    const EXAMPLE: &str;

    /// Returns every problem beyond the form of the section, for a file at `place`.
    fn check(&self, place: SettingSource) -> Vec<Wrong>;
}

/// A problem of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Index of the list entry, from zero; `None` if the problem is about the section as a whole.
    pub entry: Option<usize>,
    pub reason: String,
    /// The text to write instead.
    pub fix: String,
}

/// A section that a file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSection<T> {
    pub value: T,
    /// The source that the file belongs to.
    pub place: SettingSource,
    pub file: PathBuf,
}

impl<T> FoundSection<T> {
    /// Returns the directory that relative paths in it are resolved against.
    pub fn directory(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("/"))
    }
}

/// Reason that a section does not have its form, with the position.
pub(in crate::config) struct Unreadable {
    pub(in crate::config) at: Option<Range<usize>>,
    pub(in crate::config) reason: String,
}

/// Returns the section of type `T` in the text of a file that was read without problems; `None` if it has none.
pub(in crate::config) fn take<T: Section>(text: &str) -> Option<T> {
    let (table, _) = DeTable::parse_recoverable(text);
    let value = table.into_inner().remove(T::KEY.as_str())?;
    parse(value).ok()
}

/// Returns the sections of a file with their places.
pub(in crate::config) fn places(
    text: &str,
    file: &Path,
    place: SettingSource,
) -> Vec<SectionShown> {
    let (table, _) = DeTable::parse_recoverable(text);
    let shown = |section: &SectionKey| {
        let (key, _) = table.get_ref().get_key_value(section.as_str())?;
        let line = text[..key.span().start].matches('\n').count() + 1;
        let at = format!("{}:{line}", file.display());
        Some(SectionShown { section: *section, place, at, meaning: section.meaning() })
    };
    SectionKey::ALL.iter().filter_map(shown).collect()
}

fn parse<T: Section>(value: Spanned<DeValue<'_>>) -> Result<T, Unreadable> {
    T::deserialize(ValueDeserializer::from(value))
        .map_err(|error| Unreadable { at: error.span(), reason: error.message().to_owned() })
}
