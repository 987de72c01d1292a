//! Names in paths, their order, and reasons for rejecting a path.
//!
//! *Invariants*: an accepted name can be displayed in a line of text without being mistaken for another line, another
//! path or a terminal escape. Paths are ordered name by name, so that a directory is followed by its entries.
//!
//! *Limitations*: names that look alike in two Unicode forms are two names, as on Linux.

use std::cmp::Ordering;

use crate::bounds::{NAME_BYTES_MAX, PATH_BYTES_MAX, PATH_DEPTH_MAX};

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
pub(super) fn join_names<'a>(
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
pub(super) fn compare(left: &str, right: &str) -> Ordering {
    // Comparing whole strings would put `a-b` between `a` and `a/b`, because `-` sorts before `/`.
    left.split('/').cmp(right.split('/'))
}
