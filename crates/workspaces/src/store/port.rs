//! The trait that every Store fulfils.

use std::sync::Arc;

use piton_core::Digest;
use piton_store::port::BoxFuture;

use super::{Change, Fault, Prepared, Window, WindowRead};
use crate::{
    path::MountPath,
    search::{Found, Search},
};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
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
    pub kind: Kind,
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
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The size of a file; zero for anything else.
    pub bytes: u64,
}

/// The entries of a directory, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Those with names that can be used, in byte order.
    pub entries: Vec<Entry>,
    /// How many have names that cannot be used here, such as control characters.
    pub unusable: u64,
}

/// A whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
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
pub struct Identity(Vec<u8>);

impl Identity {
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
    fn stat(&self, path: MountPath, digest: bool) -> BoxFuture<'_, Result<FileStat, Fault>>;

    /// Which file a path leads to.
    fn identity(&self, path: MountPath) -> BoxFuture<'_, Result<Identity, Fault>>;

    /// Bytes that are others when a file or a link is another than before, without reading what is in it: the size and
    /// the time of the last change of a file, where a link leads.
    fn fingerprint(&self, path: MountPath) -> BoxFuture<'_, Result<Vec<u8>, Fault>>;

    /// The entries of a directory.
    fn list(&self, path: MountPath) -> BoxFuture<'_, Result<Listing, Fault>>;

    /// Some lines of a text file.
    fn read(&self, path: MountPath, window: Window) -> BoxFuture<'_, Result<WindowRead, Fault>>;

    /// A whole file of at most `bytes_max` bytes.
    fn load(&self, path: MountPath, bytes_max: u64) -> BoxFuture<'_, Result<Loaded, Fault>>;

    /// The files below a directory that a query selects, and the lines in them.
    fn search(&self, search: Arc<Search>) -> BoxFuture<'_, Result<Found, Fault>>;

    /// The path with its links resolved, where the Store follows links; a path whose last names do
    /// not exist yet keeps them. Fails if a link leads out of the Mount or in a circle.
    fn resolve(&self, path: MountPath) -> BoxFuture<'_, Result<MountPath, Fault>>;

    /// Makes everything ready for a change but the change itself.
    fn prepare(&self, change: Change) -> BoxFuture<'_, Result<Box<dyn Prepared>, Fault>>;

    /// Whether what stood at a path was lost to damage of the Store's own data. Nobody else can change that.
    fn has_lost(&self, path: MountPath) -> BoxFuture<'_, Result<bool, Fault>>;

    /// Finishes or clears away what a writer left behind that died: the unfinished write `temp` in
    /// the directory of `path`. Does nothing if there is none.
    fn clear(&self, path: MountPath, temp: String) -> BoxFuture<'_, Result<(), Fault>>;
}
