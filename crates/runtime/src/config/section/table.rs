//! The table of sections, and the interface that each of them implements.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::context::ContextSection;
use super::models::ModelsSection;
use super::state::StateSection;
use super::workspaces::WorkspacesSection;
use crate::config::SettingSource;

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
    pub const fn example(self) -> &'static str {
        match self {
            Self::Models => ModelsSection::EXAMPLE,
            Self::State => StateSection::EXAMPLE,
            Self::Context => ContextSection::EXAMPLE,
            Self::Workspaces => WorkspacesSection::EXAMPLE,
        }
    }

    /// Describes the section in one sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Models => "The providers of models, and the default one.",
            Self::State => "The backpack that agents are attached to, and what they may do there.",
            Self::Context => {
                "The agents that work with context, their roles, and the agent that clients act as."
            }
            Self::Workspaces => {
                "The files that agents may touch: Workspaces, each with a prefix, an Access Scope and a Store."
            }
        }
    }

    /// Returns every problem of the section.
    pub(in crate::config) fn judge(
        self,
        value: Spanned<DeValue<'_>>,
        place: SettingSource,
    ) -> Result<Vec<Wrong>, Unreadable> {
        match self {
            Self::Models => judge::<ModelsSection>(value, place),
            Self::State => judge::<StateSection>(value, place),
            Self::Context => judge::<ContextSection>(value, place),
            Self::Workspaces => judge::<WorkspacesSection>(value, place),
        }
    }

    /// Returns the schema of the section.
    pub(in crate::config) fn schema(self) -> schemars::Schema {
        match self {
            Self::Models => schemars::schema_for!(ModelsSection),
            Self::State => schemars::schema_for!(StateSection),
            Self::Context => schemars::schema_for!(ContextSection),
            Self::Workspaces => schemars::schema_for!(WorkspacesSection),
        }
    }
}

/// The type that a section of a file is parsed into.
pub trait Section: DeserializeOwned {
    /// The key of the section.
    const KEY: SectionKey;

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

/// Returns every problem of a section of type `T`.
fn judge<T: Section>(
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
