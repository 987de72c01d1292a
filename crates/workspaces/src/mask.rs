//! Paths that a Workspace hides inside its Mount (names by pattern, paths under inner Workspaces, Piton's own data),
//! and paths that it only shows ([`Protection`]).
//!
//! *Invariants*: a name is hidden whether or not it exists, together with everything below it.

use std::collections::BTreeSet;
use std::fmt;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::bounds::{DENY_MAX, PATTERN_BYTES_MAX};
use crate::path::{LogicalPath, MountPath};
use crate::protection::{Protected, Protection};
use crate::store::StoreFault;

/// The hidden and the protected paths of a Mount.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    denied: Vec<GlobSet>,
    inner: BTreeSet<MountPath>,
    protection: Protection,
}

/// Reason that a path is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// A deny pattern matches the path or a directory above it.
    Denied,
    /// The path lies under the prefix of an inner Workspace.
    Inner,
    /// The path is Piton's data directory, or lies in it.
    Data,
}

/// Writes words that follow "is hidden".
impl fmt::Display for Hidden {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Denied | Self::Inner => "by the configuration of its Workspace",
            Self::Data => "because it is Piton's own data: its keys and its records",
        })
    }
}

impl Mask {
    /// Creates a mask from deny patterns. A pattern without `/` matches a name at any depth; one with `/` starts at the
    /// Mount. A directory is hidden with everything in it.
    pub fn new(patterns: &[String]) -> Result<Self, String> {
        if patterns.len() > DENY_MAX {
            return Err(format!("there are more than {DENY_MAX} deny patterns"));
        }
        let mut denied = GlobSetBuilder::new();
        for pattern in patterns {
            let refused = |why: &str| format!("the deny pattern `{pattern}` {why}");
            if pattern.len() > PATTERN_BYTES_MAX {
                return Err(refused("is too long"));
            }
            let names = pattern.trim_start_matches('/').trim_end_matches("/**");
            let names = names.trim_end_matches('/');
            if names.is_empty() || names.split('/').any(|name| name == "..") {
                return Err(refused("names nothing below the Workspace"));
            }
            let anywhere = !pattern.starts_with('/') && !names.contains('/');
            let glob = if anywhere { format!("**/{names}") } else { names.to_owned() };
            let glob = GlobBuilder::new(&glob).literal_separator(true).build();
            denied.add(glob.map_err(|_| refused("is not a valid glob"))?);
        }
        let denied = denied.build().map_err(|_| "the deny patterns are too complex".to_owned())?;
        Ok(Self { denied: vec![denied], ..Self::default() })
    }

    /// Returns a mask that also hides paths under the prefixes of inner Workspaces.
    pub(crate) fn with_inner(&self, prefix: &LogicalPath, inner: &[LogicalPath]) -> Self {
        let inner = inner.iter().filter_map(|inner| inner.below(prefix)).collect();
        Self { inner, ..self.clone() }
    }

    /// Returns the mask with another protection.
    #[must_use]
    pub fn protecting(&self, protection: Protection) -> Self {
        Self { protection, ..self.clone() }
    }

    /// Returns the protection.
    pub(crate) fn protection(&self) -> &Protection {
        &self.protection
    }

    /// Returns a mask that hides what either of the two hides.
    pub(crate) fn merged(&self, other: &Self) -> Self {
        let denied = self.denied.iter().chain(&other.denied).cloned().collect();
        let inner = self.inner.union(&other.inner).cloned().collect();
        let protection = self.protection.merged(&other.protection);
        Self { denied, inner, protection }
    }

    fn denies(&self, path: &str) -> bool {
        self.denied.iter().any(|denied| !denied.is_empty() && denied.is_match(path))
    }

    /// Returns a mask that also hides these paths and everything below them.
    pub(crate) fn with_covered(&self, covered: impl IntoIterator<Item = MountPath>) -> Self {
        let inner = self.inner.iter().cloned().chain(covered).collect();
        Self { inner, ..self.clone() }
    }

    /// Returns the reason that a path is hidden, if it is.
    pub fn hides(&self, path: &MountPath) -> Option<Hidden> {
        if !self.inner.is_empty() && path.ancestors().any(|above| self.inner.contains(&above)) {
            return Some(Hidden::Inner);
        }
        if self.protection.hides(path) {
            return Some(Hidden::Data);
        }
        if self.denied.iter().all(GlobSet::is_empty) {
            return None;
        }
        // Every ancestor is matched on its own, because a pattern that hides a directory hides everything in it.
        let text = path.as_str();
        let ends = text.match_indices('/').map(|(at, _)| at).chain([text.len()]);
        let denied = ends.into_iter().any(|end| end > 0 && self.denies(&text[..end]));
        denied.then_some(Hidden::Denied)
    }

    /// Returns the reason that no agent may change a path, if there is one.
    pub fn protects(&self, path: &MountPath) -> Option<Protected> {
        self.protection.reason_for(path)
    }

    /// Refuses to move or delete a directory together with a hidden or protected entry.
    pub(crate) fn check_entry(&self, path: &MountPath) -> Result<(), StoreFault> {
        if self.protection.hides(path) {
            return Err(StoreFault::HoldsProtected(Protected::Data));
        }
        if self.hides_entry(path) {
            return Err(StoreFault::HoldsHidden);
        }
        self.protection.of_entry(path).map_or(Ok(()), |why| Err(StoreFault::HoldsProtected(why)))
    }

    /// True if an entry is hidden whose directory is not: the fast check of a walk.
    pub fn hides_entry(&self, path: &MountPath) -> bool {
        self.inner.contains(path) || self.protection.hides(path) || self.denies(path.as_str())
    }
}
