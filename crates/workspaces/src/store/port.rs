//! The trait that every Store fulfils.

use std::sync::Arc;

use piton_core::Digest;
use piton_store::port::BoxFuture;

use super::{FileChange, Prepared, StoreFault, Window, WindowRead};
use crate::{
    path::MountPath,
    search::{Search, SearchResult},
};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A link, which is not followed.
    Link,
    /// Something else: a pipe, a socket, a device.
    Other,
}

/// What is known about a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStat {
    /// What stands there.
    pub kind: EntryKind,
    /// The size of a file; zero for anything else.
    pub bytes: u64,
    /// When it was changed, in seconds since 1970, where the Store knows.
    pub modified: Option<u64>,
    /// The digest of a file that is not too large to be read for it.
    pub digest: Option<Digest>,
    /// Whether it is a file that is a program: its owner may run it.
    pub executable: bool,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// The size of a file; zero for anything else.
    pub bytes: u64,
}

/// The entries of a directory, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryListing {
    /// Those with names that can be used, in byte order.
    pub entries: Vec<DirectoryEntry>,
    /// How many have names that cannot be used here, such as control characters.
    pub unusable: u64,
}

/// A whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedFile {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Their digest.
    pub digest: Digest,
    /// Whether it is a program: its owner may run it.
    pub executable: bool,
}

/// Which file a path leads to, whatever it is called: told apart from every other file that any Store of this process
/// has. Hard links lead to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileIdentity(Vec<u8>);

impl FileIdentity {
    /// What these bytes stand for; they begin with the kind of the Store.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }
}

/// What holds the files of a Workspace.
///
/// Promise:
/// - No call reaches anything outside the Mount, whatever happens to it at the same time.
/// - A read sees one version of a file as a whole, never a part of two.
/// - No file is changed before [`Prepared::commit`]; a change that is dropped leaves no trace.
/// - A commit replaces a file as a whole: whoever reads, also after a crash, finds the old or the new
///   content.
pub trait Store: Send + Sync {
    /// What stands at a path. With `digest`, a file is read for its digest if it is not too large.
    fn stat(&self, path: MountPath, digest: bool) -> BoxFuture<'_, Result<FileStat, StoreFault>>;

    /// Which file a path leads to.
    fn identity(&self, path: MountPath) -> BoxFuture<'_, Result<FileIdentity, StoreFault>>;

    /// Bytes that are others when a file or a link is another than before, without reading what is in it: the size and
    /// the time of the last change of a file, where a link leads.
    fn fingerprint(&self, path: MountPath) -> BoxFuture<'_, Result<Vec<u8>, StoreFault>>;

    /// The entries of a directory.
    fn list(&self, path: MountPath) -> BoxFuture<'_, Result<DirectoryListing, StoreFault>>;

    /// Some lines of a text file.
    fn read(
        &self,
        path: MountPath,
        window: Window,
    ) -> BoxFuture<'_, Result<WindowRead, StoreFault>>;

    /// A whole file of at most `bytes_max` bytes.
    fn load(
        &self,
        path: MountPath,
        bytes_max: u64,
    ) -> BoxFuture<'_, Result<LoadedFile, StoreFault>>;

    /// The files below a directory that a query selects, and the lines in them.
    fn search(&self, search: Arc<Search>) -> BoxFuture<'_, Result<SearchResult, StoreFault>>;

    /// The path with its links resolved, where the Store follows links; a path whose last names do
    /// not exist yet keeps them. Fails if a link leads out of the Mount or in a circle.
    fn resolve(&self, path: MountPath) -> BoxFuture<'_, Result<MountPath, StoreFault>>;

    /// Makes everything ready for a change but the change itself.
    fn prepare(&self, change: FileChange) -> BoxFuture<'_, Result<Box<dyn Prepared>, StoreFault>>;

    /// Whether what stood at a path was lost to damage of the Store's own data. Nobody else can change that.
    fn has_lost(&self, path: MountPath) -> BoxFuture<'_, Result<bool, StoreFault>>;

    /// Finishes or clears away what a writer left behind that died: the unfinished write `temp` in
    /// the directory of `path`. Does nothing if there is none.
    fn clear(&self, path: MountPath, temp: String) -> BoxFuture<'_, Result<(), StoreFault>>;
}
