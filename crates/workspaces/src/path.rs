//! Paths, as agents write them and as Stores receive them, the names in them, and reasons for rejecting a path.
//!
//! *Invariants*: a path is parsed once. The text that was checked is the text that is used: nothing is decoded,
//! trimmed, unquoted or normalised, except that empty names and `.` are dropped. An accepted name can be displayed in a
//! line of text without being mistaken for another line, another path or a terminal escape. Paths are ordered name by
//! name, so that a directory is followed by its entries.
//!
//! *Limitations*: names that look alike in two Unicode forms are two names, as on Linux.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::bounds::{NAME_BYTES_MAX, PATH_BYTES_MAX, PATH_DEPTH_MAX};

/// An absolute path in the file world of an agent, such as `/home/src/main.rs`. Its root is `/`.
///
/// It starts with `/`, ends with a name, and has no empty name, no `.` and no `..`.
#[derive(Clone, PartialEq, Eq, Hash)]
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

    /// Returns the path itself and everything above it, the longest first.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        self.prefixes().map(|text| Self(text.into()))
    }

    /// Like [`Self::ancestors`], as text.
    pub(crate) fn prefixes(&self) -> impl Iterator<Item = &str> {
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
        Some(MountPath(self.0[from..].trim_start_matches('/').into()))
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

piton_core::text_serde!(LogicalPath, "an absolute path");
piton_core::string_schema!(LogicalPath, { "pattern": "^/", "maxLength": PATH_BYTES_MAX });

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

piton_core::text_serde!(MountPath, "a path in a Mount");
piton_core::string_schema!(MountPath, { "maxLength": PATH_BYTES_MAX });

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

/// Reason for rejecting a text as a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathProblem {
    /// The path does not start at the root.
    #[error("it does not start with `/`")]
    Relative,
    #[error("it has `..` as a name, which is never resolved")]
    DotDot,
    #[error("it has a backslash; names are separated by `/`")]
    Backslash,
    /// The path has a character that cannot be displayed.
    #[error("it has a control character")]
    Control,
    #[error("one of its names is longer than {NAME_BYTES_MAX} bytes")]
    NameTooLong,
    #[error("it is longer than {PATH_BYTES_MAX} bytes")]
    TooLong,
    /// The path has too many names.
    #[error("it has more than {PATH_DEPTH_MAX} names")]
    TooDeep,
    /// A name has the form that Piton uses for unfinished writes.
    #[error("names of the form `.piton-….tmp` are used for unfinished writes")]
    Reserved,
}

const TEMP_START: &str = ".piton-";
const TEMP_END: &str = ".tmp";

/// Returns the name of an unfinished write.
pub(crate) fn temp_name(random: u64) -> String {
    format!("{TEMP_START}{random:016x}{TEMP_END}")
}

/// Returns the name under which something is kept that had the name of an unfinished write.
pub(crate) fn kept_name(temp: &str) -> String {
    let random = temp.trim_start_matches(TEMP_START).trim_end_matches(TEMP_END);
    format!("piton-kept-{random}")
}

/// True for the name of an unfinished write.
pub(crate) fn is_temp_name(name: &str) -> bool {
    name.starts_with(TEMP_START) && name.ends_with(TEMP_END)
}

/// Checks one name, which is neither empty nor `.`.
pub fn check_name(name: &str) -> Result<(), PathProblem> {
    if name == ".." {
        return Err(PathProblem::DotDot);
    }
    if name.len() > NAME_BYTES_MAX {
        return Err(PathProblem::NameTooLong);
    }
    if name.contains('\\') {
        return Err(PathProblem::Backslash);
    }
    if name.chars().any(cannot_be_shown) {
        return Err(PathProblem::Control);
    }
    if is_temp_name(name) {
        return Err(PathProblem::Reserved);
    }
    Ok(())
}

/// True for control characters, line separators, and characters that change the direction of the text around them.
fn cannot_be_shown(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Checks the names of a path and joins them with `/`.
fn join_names<'a>(
    names: impl Iterator<Item = &'a str>,
    start: &str,
) -> Result<String, PathProblem> {
    let mut joined = String::from(start);
    for (depth, name) in names.filter(|name| !name.is_empty() && *name != ".").enumerate() {
        if depth == PATH_DEPTH_MAX {
            return Err(PathProblem::TooDeep);
        }
        check_name(name)?;
        if depth > 0 {
            joined.push('/');
        }
        joined.push_str(name);
    }
    Ok(joined)
}

/// Compares two paths name by name.
fn compare(left: &str, right: &str) -> Ordering {
    // Comparing whole strings would put `a-b` between `a` and `a/b`, because `-` sorts before `/`.
    left.split('/').cmp(right.split('/'))
}
