//! Paths within a project directory: relative bytes, with `/` between names.
//!
//! File names are bytes, and not all of them are text. A path is displayed and written as text in which a backslash,
//! every byte that is not UTF-8, and every character that is not shown as itself are escaped (`\\`, `\xff`, `\x0a`).
//! Two different paths never look the same, each can be read back, and none can forge a line of a prompt or of a
//! terminal.
//!
//! *Invariants*: no name is empty, `.` or `..`, and none contains `/` or a zero byte, so a path never leads out of its
//! project directory.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use schemars::JsonSchema;

use crate::bounds::{NAME_BYTES_MAX, PATH_BYTES_MAX};

/// The name of an entry of a directory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Box<[u8]>);

/// A path within a project directory. The empty path is the project directory itself.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, JsonSchema)]
#[schemars(transparent)]
pub struct TreePath(#[schemars(with = "String")] Box<[u8]>);

/// Reasons that text or bytes are not a path within a project directory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("the path `{0}` is absolute; give it relative to the project directory")]
    Absolute(String),
    #[error("the path `{0}` leads out of the project directory")]
    Outside(String),
    /// A name in it is empty, `.` or `..`, or has a zero byte.
    #[error("the path `{0}` has an empty name, `.`, `..` or a zero byte in it")]
    BadName(String),
    /// The path or a name in it is too long.
    #[error(
        "a path or a name in it has {0} bytes; at most {PATH_BYTES_MAX}, and {NAME_BYTES_MAX} for each name"
    )]
    TooLong(usize),
    /// A backslash that does not start `\\` or `\x` and two hex digits.
    #[error("in the path `{0}` a backslash is followed by neither `\\` nor `x` and two hex digits")]
    BadEscape(String),
}

impl Name {
    /// Creates a name from `bytes`.
    pub fn new(bytes: &[u8]) -> Result<Self, PathError> {
        let problem = || PathError::BadName(escaped(bytes).into_owned());
        if matches!(bytes, b"" | b"." | b"..") || bytes.iter().any(|byte| matches!(byte, 0 | b'/'))
        {
            return Err(problem());
        }
        if bytes.len() > NAME_BYTES_MAX {
            return Err(PathError::TooLong(bytes.len()));
        }
        Ok(Self(bytes.into()))
    }

    /// Returns the bytes of the name.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl TreePath {
    /// Returns the path of the project directory itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// Creates a path from `bytes`.
    pub fn new(bytes: &[u8]) -> Result<Self, PathError> {
        if bytes.len() > PATH_BYTES_MAX {
            return Err(PathError::TooLong(bytes.len()));
        }
        if bytes.first() == Some(&b'/') {
            return Err(PathError::Absolute(escaped(bytes).into_owned()));
        }
        if !bytes.is_empty() {
            for name in bytes.split(|byte| *byte == b'/') {
                Name::new(name).map_err(|error| match error {
                    PathError::BadName(_) => PathError::BadName(escaped(bytes).into_owned()),
                    other => other,
                })?;
            }
        }
        Ok(Self(bytes.into()))
    }

    /// Returns the bytes of the path.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// True if it is the project directory itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the path of the entry `name` of this directory.
    #[must_use]
    pub fn join(&self, name: &Name) -> Self {
        let mut bytes = Vec::with_capacity(self.0.len() + 1 + name.0.len());
        extend(&mut bytes, &self.0, &name.0);
        Self(bytes.into())
    }

    /// Resolves `text`, which may contain `.` and `..`, relative to this directory.
    pub fn walk_to(&self, text: &str) -> Result<Self, PathError> {
        if text.starts_with('/') {
            return Err(PathError::Absolute(text.to_owned()));
        }
        let mut path = self.clone();
        for part in text.split('/') {
            path = match part {
                "" | "." => path,
                ".." => path.parent().ok_or_else(|| PathError::Outside(text.to_owned()))?,
                name => path.join(&Name::new(&unescaped(name)?)?),
            };
        }
        Self::new(&path.0)
    }

    /// Returns the names from the project directory down.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|byte| *byte == b'/').filter(|name| !name.is_empty())
    }

    /// Returns the parent directory, or `None` for the project directory.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        let end = self.0.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        Some(Self(self.0[..end].into()))
    }

    /// Returns the last name, or `None` for the project directory.
    pub fn name(&self) -> Option<Name> {
        self.names().last().map(|name| Name(name.into()))
    }

    /// Returns the number of names.
    pub fn depth(&self) -> usize {
        self.names().count()
    }

    /// True if it is `ancestor` or lies below it.
    pub fn is_within(&self, ancestor: &Self) -> bool {
        ancestor.is_root()
            || self
                .0
                .strip_prefix(&*ancestor.0)
                // Without the separator, `ab` would lie within `a`.
                .is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    }
}

/// Appends `name` to the bytes of a directory's path.
pub(crate) fn extend(out: &mut Vec<u8>, directory: &[u8], name: &[u8]) {
    out.extend_from_slice(directory);
    if !directory.is_empty() {
        out.push(b'/');
    }
    out.extend_from_slice(name);
}

/// Converts bytes to text that can be read back.
fn escaped(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && text.chars().all(is_shown_as_itself)
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => text.push_str("\\\\"),
                plain if is_shown_as_itself(plain) => text.push(plain),
                other => escape(&mut text, other.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        escape(&mut text, chunk.invalid());
    }
    Cow::Owned(text)
}

fn escape(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(text, "\\x{byte:02x}");
    }
}

/// True if a character stands for itself in a line of text: it ends no line, moves no cursor, and does not change the
/// direction of writing.
fn is_shown_as_itself(character: char) -> bool {
    let turns = matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character != '\\' && !character.is_control() && !turns
}

/// Returns the bytes that a text stands for.
fn unescaped(text: &str) -> Result<Vec<u8>, PathError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let bad = || PathError::BadEscape(text.to_owned());
        match tail {
            [b'\\', after @ ..] => {
                bytes.push(b'\\');
                rest = after;
            }
            [b'x', high, low, after @ ..] => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).map_err(|_| bad())?;
                bytes.push(u8::from_str_radix(digits, 16).map_err(|_| bad())?);
                rest = after;
            }
            _ => return Err(bad()),
        }
    }
    Ok(bytes)
}

impl Borrow<[u8]> for TreePath {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl FromStr for TreePath {
    type Err = PathError;

    /// Parses the text form. Accepts a leading `./`, a trailing `/` and a lone `.`, because people type them.
    fn from_str(text: &str) -> Result<Self, PathError> {
        let plain = text.strip_prefix("./").unwrap_or(text);
        let plain = if plain == "." { "" } else { plain };
        let plain = plain.strip_suffix('/').unwrap_or(plain);
        if text.starts_with('/') {
            return Err(PathError::Absolute(text.to_owned()));
        }
        Self::new(&unescaped(plain)?)
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(if self.is_root() { "." } else { "" })?;
        if self.is_root() { Ok(()) } else { formatter.pad(&escaped(&self.0)) }
    }
}

impl fmt::Debug for TreePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{self}`")
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&escaped(&self.0))
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{self}`")
    }
}

impl serde::Serialize for TreePath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for TreePath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // shows in part: CT-006 (the part that paths which are not text have a text of their own, and read back)
    #[test]
    fn every_path_has_a_text_of_its_own_that_reads_back() {
        for (bytes, text) in [
            (&b""[..], "."),
            (b"src/a.rs", "src/a.rs"),
            (b"a\xff", "a\\xff"),
            (b"a\xfe", "a\\xfe"),
            (b"a\\xff", "a\\\\xff"),
            ("ä/ö".as_bytes(), "ä/ö"),
            (b"a\n# b\x1b[2J\x7f", "a\\x0a# b\\x1b[2J\\x7f"),
            ("a\u{202e}b\u{85}".as_bytes(), "a\\xe2\\x80\\xaeb\\xc2\\x85"),
        ] {
            let path = TreePath::new(bytes).unwrap();
            assert_eq!(path.to_string(), text);
            assert_eq!(text.parse(), Ok(path));
        }
        for typed in ["./src", "src/", "src"] {
            assert_eq!(typed.parse::<TreePath>().unwrap().as_bytes(), b"src");
        }
    }

    #[test]
    fn a_path_never_leads_out_of_the_project_directory() {
        for text in ["/etc", "..", "a/../b", "a//b", "a/./b", "a\\q", "a\\x0", "a\\x00"] {
            assert!(text.parse::<TreePath>().is_err(), "{text}");
        }
        assert!(TreePath::new(&[b'a'; PATH_BYTES_MAX + 1]).is_err());
        let long = NAME_BYTES_MAX + 1;
        assert_eq!(
            format!("a/{}", "b".repeat(long)).parse::<TreePath>(),
            Err(PathError::TooLong(long))
        );
    }

    #[test]
    fn a_path_knows_its_parent_its_name_and_what_it_lies_in() {
        let path: TreePath = "a/b/c".parse().unwrap();
        let parent = path.parent().unwrap();
        assert_eq!((parent.to_string(), path.depth()), ("a/b".to_owned(), 3));
        assert_eq!(parent.join(&path.name().unwrap()), path);
        assert!(path.is_within(&parent) && path.is_within(&TreePath::root()));
        assert!(!"a/bc".parse::<TreePath>().unwrap().is_within(&parent));
        assert_eq!(TreePath::root().parent(), None);
    }
}
