//! One name of a path, and why a text is no path.
//!
//! *Invariants*: a name that passes can be shown in a line of text without being mistaken for another
//! line, another path or an escape of a terminal.
//!
//! *Limitations*: names that look alike in two Unicode forms are two names, as on Linux.

use crate::bounds::{NAME_BYTES_MAX, PATH_BYTES_MAX, PATH_DEPTH_MAX};

/// Why a text is no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathProblem {
    /// It does not start at the root.
    #[error("it does not start with `/`")]
    Relative,
    /// A name is `..`.
    #[error("it has `..` as a name, which is never resolved")]
    DotDot,
    /// It has a backslash.
    #[error("it has a backslash; names are separated by `/`")]
    Backslash,
    /// It has a character that cannot be shown.
    #[error("it has a control character")]
    Control,
    /// A name is too long.
    #[error("one of its names is longer than {NAME_BYTES_MAX} bytes")]
    NameTooLong,
    /// It is too long.
    #[error("it is longer than {PATH_BYTES_MAX} bytes")]
    TooLong,
    /// It has too many names.
    #[error("it has more than {PATH_DEPTH_MAX} names")]
    TooDeep,
    /// A name is used by Piton for unfinished writes.
    #[error("names of the form `.piton-….tmp` are used for unfinished writes")]
    Reserved,
}

const TEMP_START: &str = ".piton-";
const TEMP_END: &str = ".tmp";

/// The name of an unfinished write.
pub(crate) fn temp_name(random: u64) -> String {
    format!("{TEMP_START}{random:016x}{TEMP_END}")
}

/// Whether a name is that of an unfinished write.
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

/// Control characters, line separators, and what turns the direction of the text around it.
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
