//! Paths as Stores receive them.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::PathProblem;
use super::name::{check_name, compare, join_names};
use crate::bounds::{PATH_BYTES_MAX, PATH_DEPTH_MAX};

/// A path relative to a Mount, such as `src/main.rs`. The empty path is the Mount itself.
///
/// It neither starts nor ends with `/`, and has no empty name, no `.` and no `..`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MountPath(Arc<str>);

impl MountPath {
    /// Returns the path of the Mount itself.
    pub fn root() -> Self {
        Self("".into())
    }

    /// Creates a path from names that were checked before.
    pub(super) fn from_checked(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True for the Mount itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names of the path, starting below the Mount.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// Splits the path into its directory and its last name. `None` for the Mount itself.
    pub fn split(&self) -> Option<(Self, &str)> {
        if self.is_root() {
            return None;
        }
        Some(match self.0.rsplit_once('/') {
            Some((parent, name)) => (Self(parent.into()), name),
            None => (Self::root(), &self.0),
        })
    }

    /// Returns the path itself and everything above it except the Mount, the longest first.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        let mut next = (!self.is_root()).then(|| self.clone());
        std::iter::from_fn(move || {
            let current = next.take()?;
            next = current.split().map(|(parent, _)| parent).filter(|parent| !parent.is_root());
            Some(current)
        })
    }

    /// Returns the path of an entry in this directory.
    pub fn child(&self, name: &str) -> Result<Self, PathProblem> {
        check_name(name)?;
        if self.0.len() + 1 + name.len() > PATH_BYTES_MAX {
            return Err(PathProblem::TooLong);
        }
        if self.names().count() == PATH_DEPTH_MAX {
            return Err(PathProblem::TooDeep);
        }
        let separator = if self.is_root() { "" } else { "/" };
        Ok(Self([&*self.0, separator, name].concat().into()))
    }

    /// True if `prefix` is the path itself or lies above it, name by name.
    pub fn starts_with(&self, prefix: &Self) -> bool {
        self.below(prefix).is_some()
    }

    /// Returns the rest of the path after `prefix`, if the path starts with it.
    pub fn below(&self, prefix: &Self) -> Option<Self> {
        if prefix.is_root() {
            return Some(self.clone());
        }
        let rest = self.0.strip_prefix(&*prefix.0)?;
        if rest.is_empty() {
            return Some(Self::root());
        }
        rest.strip_prefix('/').map(|rest| Self(rest.into()))
    }

    /// Returns the path of something below this one.
    #[must_use]
    pub fn join(&self, below: &Self) -> Self {
        match (self.is_root(), below.is_root()) {
            (_, true) => self.clone(),
            (true, false) => below.clone(),
            (false, false) => Self(format!("{self}/{below}").into()),
        }
    }
}

impl FromStr for MountPath {
    type Err = PathProblem;

    fn from_str(text: &str) -> Result<Self, PathProblem> {
        if text.len() > PATH_BYTES_MAX {
            return Err(PathProblem::TooLong);
        }
        Ok(Self(join_names(text.split('/'), "")?.into()))
    }
}

impl serde::Serialize for MountPath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl Ord for MountPath {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0, &other.0)
    }
}

impl PartialOrd for MountPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for MountPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl fmt::Debug for MountPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, formatter)
    }
}
