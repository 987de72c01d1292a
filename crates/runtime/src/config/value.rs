//! The forms of setting values, and their syntax.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use toml::de::DeValue;

/// The form of a setting's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueForm {
    Path,
    Paths,
    /// One of these names.
    Name(&'static [&'static str]),
    /// A whole number in a range.
    Whole {
        min: u32,
        max: u32,
    },
    /// An IP address.
    Address,
    /// A web address: a scheme and a host.
    Url,
}

/// What a setting is set to. Paths are absolute and UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Value {
    /// A path.
    Path(PathBuf),
    /// Paths, in the order in which they are searched.
    Paths(Vec<PathBuf>),
    /// A name, or a web address.
    Name(String),
    /// A number.
    Whole(u32),
    /// An address.
    Address(IpAddr),
}

/// The directory that relative paths are resolved against, and the one that `~` stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base<'a> {
    pub(super) directory: &'a Path,
    pub(super) home: Option<&'a Path>,
}

impl Base<'_> {
    fn resolve(self, text: &str) -> Result<PathBuf, String> {
        if text.is_empty() {
            return Err("the path is empty".to_owned());
        }
        let path = match (text.strip_prefix("~/"), text, self.home) {
            (Some(rest), _, Some(home)) => home.join(rest),
            (None, "~", Some(home)) => home.to_path_buf(),
            (Some(_), _, None) | (None, "~", None) => {
                return Err(format!("`{text}` needs a home directory, and there is none"));
            }
            (None, _, _) => self.directory.join(text),
        };
        // Collecting the components removes `.` and doubled slashes, so that one place has one name.
        let path: PathBuf = path.components().collect();
        if path.to_str().is_some() {
            Ok(path)
        } else {
            Err(format!("`{}` is not UTF-8", path.display()))
        }
    }
}

impl ValueForm {
    /// Describes the accepted values in words.
    pub fn describe(self) -> String {
        match self {
            Self::Path => "a path".to_owned(),
            Self::Paths => "a list of paths".to_owned(),
            Self::Name(names) => format!("one of: {}", names.join(", ")),
            Self::Whole { min, max } => format!("a whole number from {min} to {max}"),
            Self::Address => "an IP address such as 127.0.0.1".to_owned(),
            Self::Url => "a web address such as https://piton.example.org".to_owned(),
        }
    }

    /// Returns the accepted names; none if the values are no names.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Name(names) => names,
            _ => &[],
        }
    }

    /// Returns the value of an entry of a file, or the problem with it.
    pub(super) fn of_file(self, found: &DeValue<'_>, base: Base<'_>) -> Result<Value, String> {
        let not_taken = || format!("{} is not {}", render_value(found), self.describe());
        match (self, found) {
            (Self::Paths, DeValue::Array(items)) => {
                let paths = items.iter().map(|item| match item.get_ref() {
                    DeValue::String(text) => base.resolve(text),
                    other => {
                        Err(format!("{} in the list is not a path in quotes", render_value(other)))
                    }
                });
                paths.collect::<Result<_, _>>().map(Value::Paths)
            }
            (Self::Whole { .. }, DeValue::Integer(number)) => {
                // TOML allows underscores, a sign and several radixes.
                let digits = number.as_str().replace('_', "");
                let whole = u32::from_str_radix(digits.trim_start_matches('+'), number.radix());
                whole.ok().and_then(|whole| self.whole(whole)).ok_or_else(not_taken)
            }
            (Self::Path | Self::Name(_) | Self::Address | Self::Url, DeValue::String(text)) => {
                self.of_text(text, base)
            }
            _ => Err(not_taken()),
        }
    }

    /// Returns the value that a text stands for, or the problem with it. The items of a list are separated as in
    /// `PATH`.
    pub(super) fn of_text(self, text: &str, base: Base<'_>) -> Result<Value, String> {
        let not_taken = || format!("`{}` is not {}", excerpt(text), self.describe());
        match self {
            Self::Path => base.resolve(text).map(Value::Path),
            Self::Paths => {
                let listed =
                    std::env::split_paths(text).filter(|path| !path.as_os_str().is_empty());
                let paths = listed.map(|path| base.resolve(path.to_str().unwrap_or_default()));
                paths.collect::<Result<_, _>>().map(Value::Paths)
            }
            Self::Name(names) if names.contains(&text) => Ok(Value::Name(text.to_owned())),
            Self::Whole { .. } => {
                text.parse().ok().and_then(|whole| self.whole(whole)).ok_or_else(not_taken)
            }
            Self::Address => text.parse().map(Value::Address).map_err(|_| not_taken()),
            Self::Url if is_web_address(text) => Ok(Value::Name(text.to_owned())),
            Self::Name(_) | Self::Url => Err(not_taken()),
        }
    }

    fn whole(self, found: u32) -> Option<Value> {
        let Self::Whole { min, max } = self else { return None };
        (min..=max).contains(&found).then_some(Value::Whole(found))
    }
}

/// True for `http://host` or `https://host`, with or without a port and a slash at the end.
fn is_web_address(text: &str) -> bool {
    let host = text.strip_prefix("https://").or(text.strip_prefix("http://"));
    let host = host.map(|host| host.strip_suffix('/').unwrap_or(host)).unwrap_or_default();
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    !host.is_empty() && host.bytes().all(is_usual)
}

/// Renders an entry of a file for a message.
fn render_value(found: &DeValue<'_>) -> String {
    match found {
        DeValue::String(text) => format!("`{}`", excerpt(text)),
        DeValue::Integer(number) => format!("`{}`", excerpt(number.as_str())),
        DeValue::Float(number) => format!("`{}`", excerpt(number.as_str())),
        DeValue::Boolean(truth) => format!("`{truth}`"),
        DeValue::Datetime(_) => "a time".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a section".to_owned(),
    }
}

fn excerpt(text: &str) -> &str {
    &text[..text.floor_char_boundary(piton_core::bounds::EXCERPT_BYTES_MAX)]
}
