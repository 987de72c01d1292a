//! A directory while it is being scanned.

use std::{
    os::fd::OwnedFd,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{rules::Rules, scanner::Scope};
use crate::tree::{Directory, Entry, Name, Node};

/// An open directory, and what is known of its entries so far.
pub(super) struct Site {
    pub(super) fd: OwnedFd,
    pub(super) path: Vec<u8>,
    /// The directory as it was in the last scan.
    pub(super) known: Option<Arc<Directory>>,
    pub(super) rules: Rules,
    pub(super) scope: Scope,
    /// The directory that it is in, and its name there.
    above: Option<(Arc<Site>, Name)>,
    entries: Mutex<Vec<Entry>>,
    /// What still has to be done before all entries are known.
    waiting: AtomicUsize,
}

impl Site {
    /// A directory that waits for one thing: its own listing.
    pub(super) fn new(
        fd: OwnedFd,
        path: Vec<u8>,
        known: Option<Arc<Directory>>,
        rules: Rules,
        scope: Scope,
        above: Option<(Arc<Site>, Name)>,
    ) -> Self {
        let (entries, waiting) = (Mutex::default(), AtomicUsize::new(1));
        Self { fd, path, known, rules, scope, above, entries, waiting }
    }

    /// Adds entries that are known.
    pub(super) fn add(&self, entries: impl IntoIterator<Item = Entry>) {
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
            above.add([Entry { name: name.clone(), node: Node::Directory(directory) }]);
            let above = Arc::clone(above);
            site = above;
        }
    }

    /// The finished directory: the one of the last scan if nothing changed.
    fn build(&self) -> Arc<Directory> {
        let mut entries =
            std::mem::take(&mut *self.entries.lock().unwrap_or_else(PoisonError::into_inner));
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        match &self.known {
            Some(known) if is_same(known.entries(), &entries) => Arc::clone(known),
            _ => Arc::new(Directory::new(&self.path, entries)),
        }
    }
}

/// Whether two lists of entries are the same, stamps included.
fn is_same(known: &[Entry], found: &[Entry]) -> bool {
    let same = |one: &Entry, other: &Entry| {
        one.name == other.name
            && match (&one.node, &other.node) {
                (Node::Directory(one), Node::Directory(other)) => Arc::ptr_eq(one, other),
                (one, other) => one == other,
            }
    };
    known.len() == found.len() && known.iter().zip(found).all(|(one, other)| same(one, other))
}
