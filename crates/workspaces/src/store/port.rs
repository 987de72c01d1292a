//! The trait that every Store implements.

use std::sync::Arc;

use piton_core::Digest;
use piton_store::port::BoxFuture;

use super::{FileChange, Prepared, StoreFault, Window, WindowRead};
use crate::path::MountPath;
use crate::search::{Search, SearchResult};

/// Kind of entry at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryKind {
    Directory,
    File,
    /// A link, which is not followed.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

/// Metadata of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStat {
    pub kind: EntryKind,
    /// Size of a file; zero for anything else.
    pub bytes: u64,
    /// Time of the last change in seconds since 1970, if the Store knows it.
    pub modified: Option<u64>,
    /// Digest of a file, unless it is too large to be hashed.
    pub digest: Option<Digest>,
    /// Set for a file that its owner may run.
    pub executable: bool,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryEntry {
    pub name: String,
    pub kind: EntryKind,
    /// Size of a file; zero for anything else.
    pub bytes: u64,
}

/// The entries of a directory, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryListing {
    /// Entries with usable names, in byte order.
    pub entries: Vec<DirectoryEntry>,
    /// Number of entries with names that are unusable here, such as those with control characters.
    pub unusable: u64,
}

/// A whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedFile {
    pub bytes: Vec<u8>,
    pub digest: Digest,
    /// Set if its owner may run it.
    pub executable: bool,
}

/// Identity of a file, whatever its path. It differs from that of every other file in any Store of this process. Hard
/// links lead to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileIdentity(Vec<u8>);

impl FileIdentity {
    /// Creates an identity from bytes, which begin with the kind of the Store.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }
}

/// The answer of a Store, once it has it.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreFault>>;

/// Storage of the files of a Workspace.
///
/// An implementation promises:
/// - No call reaches anything outside the Mount, whatever happens to it at the same time.
/// - A read sees one version of a file as a whole, never parts of two.
/// - No file changes before [`Prepared::commit`]; a change that is dropped leaves no trace.
/// - A commit replaces a file as a whole: every reader, also after a crash, finds the old or the new content.
pub trait Store: Send + Sync {
    /// Returns the metadata of a path. With `digest`, a file is hashed if it is not too large.
    fn stat(&self, path: MountPath, digest: bool) -> StoreFuture<'_, FileStat>;

    /// Returns the identity of the file that a path leads to.
    fn identity(&self, path: MountPath) -> StoreFuture<'_, FileIdentity>;

    /// Returns bytes that differ once a file or a link changes, without reading the content: the size and modification
    /// time of a file, the target of a link.
    fn fingerprint(&self, path: MountPath) -> StoreFuture<'_, Vec<u8>>;

    /// Lists a directory.
    fn list(&self, path: MountPath) -> StoreFuture<'_, DirectoryListing>;

    /// Reads some lines of a text file.
    fn read(&self, path: MountPath, window: Window) -> StoreFuture<'_, WindowRead>;

    /// Loads a whole file of at most `bytes_max` bytes.
    fn load(&self, path: MountPath, bytes_max: u64) -> StoreFuture<'_, LoadedFile>;

    /// Returns the files below a directory that a query selects, and the matching lines in them.
    fn search(&self, search: Arc<Search>) -> StoreFuture<'_, SearchResult>;

    /// Returns the path with its links resolved, if the Store follows links. Trailing names that do not exist yet are
    /// kept. Fails if a link leads out of the Mount or in a cycle.
    fn resolve(&self, path: MountPath) -> StoreFuture<'_, MountPath>;

    /// Prepares a change, up to but excluding the change itself.
    fn prepare(&self, change: FileChange) -> StoreFuture<'_, Prepared>;

    /// True if the entry at a path was lost to damage of the Store's own data. Nothing else can cause that.
    fn has_lost(&self, path: MountPath) -> StoreFuture<'_, bool>;

    /// Finishes or clears away the remains of a dead writer: the unfinished write `temp` in the directory of `path`.
    /// Does nothing if there is none.
    fn clear(&self, path: MountPath, temp: String) -> StoreFuture<'_, ()>;
}
