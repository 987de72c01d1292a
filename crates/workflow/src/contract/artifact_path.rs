//! Where in an artifact a check stands.
//!
//! Most artifacts are right, so nothing is written down before something is wrong.

use crate::source::Pointer;

/// A place in an artifact.
#[derive(Clone, Copy)]
pub(super) enum ArtifactPath<'a> {
    /// The whole of it.
    Root,
    /// A field of an object.
    Field(&'a ArtifactPath<'a>, &'a str),
    /// An item of a list.
    Item(&'a ArtifactPath<'a>, usize),
}

impl ArtifactPath<'_> {
    /// The place as text.
    pub(super) fn pointer(self) -> Pointer {
        match self {
            Self::Root => Pointer::root(),
            Self::Field(of, name) => of.pointer().field(name),
            Self::Item(of, index) => of.pointer().item(index),
        }
    }
}
