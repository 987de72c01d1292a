//! The position of a check within an artifact.
//!
//! Most artifacts are valid, so no text is built until something is wrong.

use crate::source::Pointer;

/// A position in an artifact, linked to the one around it.
#[derive(Clone, Copy)]
pub(super) enum ArtifactPath<'a> {
    Root,
    Field(&'a ArtifactPath<'a>, &'a str),
    Item(&'a ArtifactPath<'a>, usize),
}

impl ArtifactPath<'_> {
    /// Returns the position as text.
    pub(super) fn pointer(self) -> Pointer {
        match self {
            Self::Root => Pointer::root(),
            Self::Field(of, name) => of.pointer().field(name),
            Self::Item(of, index) => of.pointer().item(index),
        }
    }
}
