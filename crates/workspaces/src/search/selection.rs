//! Which files a search looks at, by their paths.

use globset::{GlobBuilder, GlobMatcher};
use ignore::types::{Types, TypesBuilder};

use crate::{bounds::PATTERN_BYTES_MAX, error::Error, path::MountPath};

/// Which files a search looks at.
#[derive(Debug)]
pub struct Selection {
    glob: Option<GlobMatcher>,
    types: Option<Types>,
    hidden: bool,
    ignored: bool,
}

impl Selection {
    /// Selects by a glob and a file type. With `all`, hidden and ignored files are selected too; a
    /// glob that names a hidden file selects hidden ones.
    pub fn new(glob: Option<&str>, file_type: Option<&str>, all: bool) -> Result<Self, Error> {
        let hidden = glob.is_some_and(|glob| glob.starts_with('.') || glob.contains("/."));
        Ok(Self {
            glob: glob.map(compile).transpose()?,
            types: file_type.map(select_type).transpose()?,
            hidden: hidden || all,
            ignored: all,
        })
    }

    /// Whether the path of a file, as the agent sees it, is selected.
    pub fn selects(&self, path: &MountPath) -> bool {
        let text = path.as_str();
        self.glob.as_ref().is_none_or(|glob| glob.is_match(text))
            && self.types.as_ref().is_none_or(|types| !types.matched(text, false).is_ignore())
    }

    /// Whether an entry with this name is passed over because it is hidden.
    pub fn skips_name(&self, name: &str) -> bool {
        !self.hidden && name.starts_with('.')
    }

    /// Whether ignore files are followed.
    pub fn follows_ignores(&self) -> bool {
        !self.ignored
    }
}

/// A glob over paths below where the search starts. Without `/` it matches a name at any depth.
fn compile(pattern: &str) -> Result<GlobMatcher, Error> {
    if pattern.is_empty() || pattern.len() > PATTERN_BYTES_MAX {
        return Err(glob_length());
    }
    let anywhere = !pattern.contains('/');
    let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
    let full = if anywhere { format!("**/{pattern}") } else { pattern.to_owned() };
    let glob = GlobBuilder::new(&full).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| Error::BadArgument(format!("the glob is not valid: {}", error.kind())))
}

fn select_type(name: &str) -> Result<Types, Error> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    builder.select(name);
    builder.build().map_err(|_| {
        let name = crate::error::quote(name);
        Error::BadArgument(format!("`{name}` is not a known file type; use `glob`, such as `*.rs`"))
    })
}

/// A glob is empty or too long.
pub(crate) fn glob_length() -> Error {
    Error::Limit(format!("a glob has 1 to {PATTERN_BYTES_MAX} bytes"))
}
