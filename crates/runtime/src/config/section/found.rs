//! The interface of sections, and a section that was found.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::key::SectionKey;
use crate::config::layer::SettingSource;

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
