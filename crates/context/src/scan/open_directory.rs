//! A directory that is being scanned.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::ignore_rules::Rules;
use super::scanner::ScanScope;
use crate::tree::{Directory, Name, TreeEntry, TreeNode};

/// An open directory and the entries found in it so far.
pub(super) struct OpenDirectory {
    pub(super) fd: OwnedFd,
    pub(super) path: Vec<u8>,
    /// The same directory in the last scan.
    pub(super) known: Option<Arc<Directory>>,
    pub(super) rules: Rules,
    pub(super) scope: ScanScope,
    /// Parent directory, and the name of this directory in it.
    above: Option<(Arc<OpenDirectory>, Name)>,
    entries: Mutex<Vec<KnownEntry>>,
    /// Number of outstanding tasks before all entries are known.
    waiting: AtomicUsize,
}

/// An entry that needs no more work.
pub(super) enum KnownEntry {
    /// Unchanged since the last scan, at this index in the old directory.
    Known(usize),
    /// New or changed since the last scan.
    New(TreeEntry),
}

impl OpenDirectory {
    /// Creates a directory with one outstanding task: its own listing.
    pub(super) fn new(
        fd: OwnedFd,
        path: Vec<u8>,
        known: Option<Arc<Directory>>,
        rules: Rules,
        scope: ScanScope,
        above: Option<(Arc<OpenDirectory>, Name)>,
    ) -> Self {
        let (entries, waiting) = (Mutex::default(), AtomicUsize::new(1));
        Self { fd, path, known, rules, scope, above, entries, waiting }
    }

    /// Returns the index of the entry `name` in the last scan, and its node there.
    pub(super) fn known(&self, name: &[u8]) -> Option<(usize, &TreeNode)> {
        let known = self.known.as_ref()?;
        let place = known.place(name)?;
        Some((place, &known.entries()[place].node))
    }

    /// Adds finished entries.
    pub(super) fn add(&self, entries: impl IntoIterator<Item = KnownEntry>) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).extend(entries);
    }

    /// Adds `more` outstanding tasks.
    pub(super) fn expect(&self, more: usize) {
        self.waiting.fetch_add(more, Ordering::Relaxed);
    }

    /// Completes one outstanding task. If it was the last one, builds the directory and completes the task that its
    /// parent waits for, and so on upwards. Returns the topmost directory once it is built.
    pub(super) fn done(self: &Arc<Self>) -> Option<Arc<Directory>> {
        let mut site = Arc::clone(self);
        loop {
            // Only the thread that completes the last task continues. `AcqRel` makes the entries that other threads
            // added visible to it.
            if site.waiting.fetch_sub(1, Ordering::AcqRel) > 1 {
                return None;
            }
            let directory = site.build();
            let Some((above, name)) = &site.above else {
                return Some(directory);
            };
            // Pointer equality suffices: `build` returns the old object when nothing changed.
            let found = match above.known(name.as_bytes()) {
                Some((place, TreeNode::Directory(known))) if Arc::ptr_eq(known, &directory) => {
                    KnownEntry::Known(place)
                }
                _ => KnownEntry::New(TreeEntry {
                    name: name.clone(),
                    node: TreeNode::Directory(directory),
                }),
            };
            above.add([found]);
            let above = Arc::clone(above);
            site = above;
        }
    }

    /// Builds the finished directory, or returns the one of the last scan if nothing changed.
    fn build(&self) -> Arc<Directory> {
        let found =
            std::mem::take(&mut *self.entries.lock().unwrap_or_else(PoisonError::into_inner));
        let known = self.known.as_ref();
        let before = known.map_or(&[][..], |known| known.entries());
        // Names are unique, so if every entry is known and none is missing, the directory is the same.
        if let Some(known) = known
            && found.len() == before.len()
            && found.iter().all(|found| matches!(found, KnownEntry::Known(_)))
        {
            return Arc::clone(known);
        }
        let entries = found.into_iter().map(|found| match found {
            KnownEntry::Known(place) => before[place].clone(),
            KnownEntry::New(entry) => entry,
        });
        Arc::new(Directory::new(&self.path, entries.collect()))
    }
}
