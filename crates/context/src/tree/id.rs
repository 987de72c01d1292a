//! Ids and kinds of tree nodes, and the hashed bytes of each id. `docs/format/context.md` describes them.
//!
//! *Invariants*: every field is preceded by its length, and the first two fields identify the form of the others.
//! Different inputs therefore never have the same bytes.

use piton_core::{Digest, DigestBuilder};

piton_core::digest_references! {
    /// The digest of a tree node's content and path.
    TreeNodeId,
}

impl TreeNodeId {
    /// Returns the 32 bytes of the digest.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

piton_core::closed_set! {
    /// What a tree node is.
    pub enum NodeKind {
        /// A regular file.
        File => "file",
        /// A directory.
        Directory => "directory",
        /// A symbolic link, which is never followed.
        Symlink => "symlink",
    }
}

/// First field of everything that is hashed here. Any change of a form below must change it.
const DOMAIN: &[u8] = b"piton.context.v1";

/// A digest under construction, field by field.
pub(crate) struct Preimage(DigestBuilder);

impl Preimage {
    /// Begins the form called `form`.
    pub(crate) fn new(form: &str) -> Self {
        let mut preimage = Self(DigestBuilder::new());
        preimage.field(DOMAIN);
        preimage.field(form.as_bytes());
        preimage
    }

    /// Adds a field: its length as eight bytes, least significant first, then its bytes.
    pub(crate) fn field(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    /// Adds a number: eight bytes, least significant first.
    pub(crate) fn number(&mut self, number: u64) {
        self.0.update(&number.to_le_bytes());
    }

    /// Returns the digest of everything added.
    pub(crate) fn finish(self) -> Digest {
        self.0.finish()
    }
}

/// Computes the id of a file.
pub fn file_id(path: &[u8], executable: bool, content: Digest) -> TreeNodeId {
    let mut preimage = Preimage::new(NodeKind::File.as_str());
    preimage.field(path);
    preimage.field(&[u8::from(executable)]);
    preimage.field(content.as_bytes());
    TreeNodeId::new(preimage.finish())
}

/// Computes the id of a symbolic link.
pub fn symlink_id(path: &[u8], target: &[u8]) -> TreeNodeId {
    let mut preimage = Preimage::new(NodeKind::Symlink.as_str());
    preimage.field(path);
    preimage.field(target);
    TreeNodeId::new(preimage.finish())
}

/// Computes the id of a directory from its entries in byte order of their names.
pub fn directory_id<'a>(
    path: &[u8],
    entries: impl ExactSizeIterator<Item = (&'a [u8], TreeNodeId)>,
) -> TreeNodeId {
    let mut preimage = Preimage::new(NodeKind::Directory.as_str());
    preimage.field(path);
    preimage.number(entries.len() as u64);
    for (name, id) in entries {
        preimage.field(name);
        preimage.field(id.as_bytes());
    }
    TreeNodeId::new(preimage.finish())
}
