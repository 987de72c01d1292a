//! A directory while it is being scanned.

use std::{
    os::fd::OwnedFd,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{rules::Rules, scanner::ScanScope};
use crate::tree::{Directory, Name, TreeEntry, TreeNode};

/// An open directory, and what is known of its entries so far.
pub(super) struct OpenDirectory {
    pub(super) fd: OwnedFd,
    pub(super) path: Vec<u8>,
    /// The directory as it was in the last scan.
    pub(super) known: Option<Arc<Directory>>,
    pub(super) rules: Rules,
    pub(super) scope: ScanScope,
    /// The directory that it is in, and its name there.
    above: Option<(Arc<OpenDirectory>, Name)>,
    entries: Mutex<Vec<KnownEntry>>,
    /// What still has to be done before all entries are known.
    waiting: AtomicUsize,
}

/// An entry that is known.
pub(super) enum KnownEntry {
    /// As it was in the last scan, at this place there.
    Known(usize),
    /// Not as it was.
    New(TreeEntry),
}

impl OpenDirectory {
    /// A directory that waits for one thing: its own listing.
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

    /// The place of the entry `name` in the last scan, and what it was there.
    pub(super) fn known(&self, name: &[u8]) -> Option<(usize, &TreeNode)> {
        let known = self.known.as_ref()?;
        let place = known.place(name)?;
        Some((place, &known.entries()[place].node))
    }

    /// Adds entries that are known.
    pub(super) fn add(&self, entries: impl IntoIterator<Item = KnownEntry>) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).extend(entries);
    }

    /// The directory waits for more things.
    pub(super) fn expect(&self, more: usize) {
        self.waiting.fetch_add(more, Ordering::Relaxed);
    }

    /// One of the things is done. Builds the directory if it was the last, and so on upwards; returns the topmost
    /// directory when it is built.
    pub(super) fn done(self: &Arc<Self>) -> Option<Arc<Directory>> {
        let mut site = Arc::clone(self);
        loop {
            if site.waiting.fetch_sub(1, Ordering::AcqRel) > 1 {
                return None;
            }
            let directory = site.build();
            let Some((above, name)) = &site.above else {
                return Some(directory);
            };
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

    /// The finished directory: the one of the last scan if nothing changed.
    fn build(&self) -> Arc<Directory> {
        let found =
            std::mem::take(&mut *self.entries.lock().unwrap_or_else(PoisonError::into_inner));
        let known = self.known.as_ref();
        let before = known.map_or(&[][..], |known| known.entries());
        // No name is there twice; so if all are known and none is missing, they are the same ones.
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
