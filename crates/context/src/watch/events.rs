//! Collects changes until it is quiet. Pure.

use std::collections::BTreeSet;

use crate::{bounds::DIRTY_MAX, scan::ScanScope, tree::TreePath};

/// Directories with changes in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dirty {
    directories: BTreeSet<TreePath>,
    /// Set when some changes are unknown.
    lost: bool,
}

impl Dirty {
    /// Records a change at a path. It may have appeared or vanished, and if it is a directory, its entries may have
    /// changed.
    pub(super) fn path(&mut self, path: &TreePath, is_directory: bool) {
        self.directories.extend(path.parent());
        if is_directory || path.is_root() {
            self.directories.insert(path.clone());
        }
        if self.directories.len() > DIRTY_MAX {
            self.lost();
        }
    }

    /// Records that something changed at an unknown place.
    pub(super) fn lost(&mut self) {
        self.lost = true;
        self.directories.clear();
    }

    /// Adds more changed directories.
    pub(super) fn add(&mut self, directories: impl IntoIterator<Item = TreePath>) {
        self.directories.extend(directories);
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.lost && self.directories.is_empty()
    }

    /// Returns the scope that must be scanned.
    pub(super) fn scope(self) -> ScanScope {
        if self.lost { ScanScope::Everything } else { ScanScope::Only(self.directories.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> TreePath {
        text.parse().unwrap()
    }

    // shows in part: CT-082 (the part that an overflow falls back to a scan)
    #[test]
    fn what_changed_is_its_directories_until_it_is_too_much() {
        let mut dirty = Dirty::default();
        assert!(dirty.is_empty());
        dirty.path(&path("a/b/c"), false);
        dirty.path(&path("a/d"), true);
        dirty.path(&path("a/b/e"), false);
        let ScanScope::Only(paths) = dirty.clone().scope() else { panic!("everything") };
        assert_eq!(*paths, [path("a"), path("a/b"), path("a/d")].into_iter().collect());
        for number in 0..=DIRTY_MAX {
            dirty.path(&path(&format!("many/{number}/x")), false);
        }
        assert!(matches!(dirty.scope(), ScanScope::Everything));
        let mut lost = Dirty::default();
        lost.lost();
        assert!(!lost.is_empty() && matches!(lost.scope(), ScanScope::Everything));
    }
}
