//! Which project directory something belongs to.

use std::fmt;

use crate::tree::Preimage;

/// Stands for one project directory. Nothing of one is seen from another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectId([u8; 16]);

impl ProjectId {
    /// The project directory at an absolute path, given as its bytes. Resolve symbolic links before, so that one
    /// directory has one id.
    pub fn of_directory(path: &[u8]) -> Self {
        let mut preimage = Preimage::new("project");
        preimage.field(path);
        let digest = preimage.finish();
        let (first, _) = digest.as_bytes().split_first_chunk().expect("a digest has 32 bytes");
        Self(*first)
    }

    /// The project directory that a key of the table belongs to.
    pub(crate) fn of_key(key: &[u8]) -> Option<Self> {
        key.first_chunk().map(|first| Self(*first))
    }

    /// The 16 bytes with which its keys begin.
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
