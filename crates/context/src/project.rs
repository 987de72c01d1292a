//! Identification of project directories.

use std::fmt;

use piton_store::port::Table;

use crate::tree::Preimage;

/// The id of one project directory. Projects are invisible to each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectId([u8; 16]);

impl ProjectId {
    /// Returns the id of the project directory at an absolute path, given as bytes. Resolve symbolic links before, so
    /// that one directory has one id.
    pub fn of_directory(path: &[u8]) -> Self {
        let mut preimage = Preimage::new("project");
        preimage.field(path);
        let digest = preimage.finish();
        let (first, _) = digest.as_bytes().split_first_chunk().expect("a digest has 32 bytes");
        Self(*first)
    }

    /// Returns the project that a key of the table belongs to.
    fn of_key(key: &[u8]) -> Option<Self> {
        key.first_chunk().map(|first| Self(*first))
    }

    /// Returns a key after all of its keys and before those of the next project: no row of a project begins with this
    /// letter.
    pub(crate) fn end(&self) -> Vec<u8> {
        [&self.0[..], &[u8::MAX]].concat()
    }

    /// Returns the first project in a table with keys after `after`.
    pub(crate) async fn next_in(
        table: &dyn Table,
        after: Option<&[u8]>,
    ) -> Result<Option<Self>, piton_store::Error> {
        let page = table.scan(&[], after, 1).await?;
        Ok(page.entries.first().and_then(|entry| Self::of_key(&entry.key)))
    }

    /// Returns the 16 bytes that its keys begin with.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for ProjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for ProjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
