//! Paths as agents write them.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::name::{compare, join_names};
use super::{MountPath, PathProblem};
use crate::bounds::PATH_BYTES_MAX;

/// An absolute path in the file world of an agent, such as `/home/src/main.rs`. Its root is `/`.
///
/// It starts with `/`, ends with a name, and has no empty name, no `.` and no `..`.
#[derive(Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LogicalPath(Arc<str>);

impl LogicalPath {
    /// Returns the root, above everything.
    pub fn root() -> Self {
        Self("/".into())
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True for the root.
    pub fn is_root(&self) -> bool {
        self.0.len() == 1
    }

    /// Returns the names of the path, starting at the root.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0[1..].split('/').filter(|name| !name.is_empty())
    }

    /// Returns the path itself and everything above it as text, the longest first.
    pub fn ancestors(&self) -> impl Iterator<Item = &str> {
        let mut next = Some(&*self.0);
        std::iter::from_fn(move || {
            let current = next?;
            next = match current.rfind('/') {
                _ if current.len() == 1 => None,
                Some(0) => Some("/"),
                Some(at) => Some(&current[..at]),
                None => None,
            };
            Some(current)
        })
    }

    /// True if `prefix` is the path itself or lies above it, name by name.
    pub fn starts_with(&self, prefix: &Self) -> bool {
        prefix.is_root()
            || self
                .0
                .strip_prefix(&*prefix.0)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the rest of the path after `prefix`, if the path starts with it.
    pub fn below(&self, prefix: &Self) -> Option<MountPath> {
        if !self.starts_with(prefix) {
            return None;
        }
        let from = if prefix.is_root() { 0 } else { prefix.0.len() };
        Some(MountPath::from_checked(self.0[from..].trim_start_matches('/')))
    }

    /// Returns the path of something below this one.
    #[must_use]
    pub fn join(&self, below: &MountPath) -> Self {
        match (self.is_root(), below.is_root()) {
            (_, true) => self.clone(),
            (true, false) => Self(format!("/{below}").into()),
            (false, false) => Self(format!("{self}/{below}").into()),
        }
    }
}

impl FromStr for LogicalPath {
    type Err = PathProblem;

    fn from_str(text: &str) -> Result<Self, PathProblem> {
        if text.len() > PATH_BYTES_MAX {
            return Err(PathProblem::TooLong);
        }
        let Some(rest) = text.strip_prefix('/') else {
            let climbs = text.split(['/', '\\']).any(|name| name == "..");
            return Err(if climbs { PathProblem::DotDot } else { PathProblem::Relative });
        };
        Ok(Self(join_names(rest.split('/'), "/")?.into()))
    }
}

impl TryFrom<String> for LogicalPath {
    type Error = PathProblem;

    fn try_from(text: String) -> Result<Self, PathProblem> {
        text.parse()
    }
}

impl From<LogicalPath> for String {
    fn from(path: LogicalPath) -> Self {
        path.0.as_ref().into()
    }
}

impl Ord for LogicalPath {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0, &other.0)
    }
}

impl PartialOrd for LogicalPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for LogicalPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl fmt::Debug for LogicalPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, formatter)
    }
}
