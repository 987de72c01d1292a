//! What a section is to the reader of files, and a section that was found.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::key::SectionKey;
use crate::config::layer::SettingSource;

/// What a section of a file is read into.
pub trait Section: DeserializeOwned {
    /// Which section.
    const KEY: SectionKey;

    /// Everything that is wrong with it beyond its form, for a file at `place`.
    fn check(&self, place: SettingSource) -> Vec<Wrong>;
}

/// Something that is wrong with a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Which entry of a list, from zero; nothing if it is about the section as a whole.
    pub entry: Option<usize>,
    /// What is wrong.
    pub reason: String,
    /// What to write instead.
    pub fix: String,
}

/// A section that a file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSection<T> {
    /// What it says.
    pub value: T,
    /// Whose file it is.
    pub place: SettingSource,
    /// The file.
    pub file: PathBuf,
}

impl<T> FoundSection<T> {
    /// What relative paths in it are relative to.
    pub fn directory(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("/"))
    }
}
