//! Names of Virtual Stores.

use piton_core::{Digest, DigestBuilder};

use crate::bounds::{NAMESPACE_PART_BYTES_MAX, NAMESPACE_PARTS_MAX};

/// The name of a Virtual Store: a run, an agent or something shared, in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualNamespace(Vec<String>);

/// Reasons for rejecting a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamespaceProblem {
    #[error("a namespace has 1 to {NAMESPACE_PARTS_MAX} parts")]
    Parts,
    #[error("a part of a namespace has 1 to {NAMESPACE_PART_BYTES_MAX} bytes")]
    Part,
}

impl VirtualNamespace {
    /// Creates a namespace from parts, which may contain any character.
    pub fn new(
        parts: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, NamespaceProblem> {
        let parts: Vec<String> = parts.into_iter().map(Into::into).collect();
        if parts.is_empty() || parts.len() > NAMESPACE_PARTS_MAX {
            return Err(NamespaceProblem::Parts);
        }
        if parts.iter().any(|part| part.is_empty() || part.len() > NAMESPACE_PART_BYTES_MAX) {
            return Err(NamespaceProblem::Part);
        }
        Ok(Self(parts))
    }

    /// Returns the digest that its keys begin with. Each part is preceded by its length, so no two lists of parts
    /// produce the same bytes.
    pub(super) fn digest(&self) -> Digest {
        let mut builder = DigestBuilder::new();
        for part in &self.0 {
            builder.update(&(part.len() as u64).to_be_bytes());
            builder.update(part.as_bytes());
        }
        builder.finish()
    }
}
