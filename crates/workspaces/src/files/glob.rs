//! `glob`

use std::fmt::Write as _;

use super::search::{Wanted, results_max};
use crate::bounds::PATTERN_BYTES_MAX;
use crate::error::Error;
use crate::files::Files;
use crate::path::PathProblem;
use crate::scope::Tool;
use crate::search::{Depth, Selection, glob_length};
use crate::tools::GlobRequest;

impl Files {
    /// Finds files by name.
    pub async fn glob(&self, request: GlobRequest) -> Result<String, Error> {
        let (path, pattern) = anchored(&request.path, &request.pattern)?;
        let results_max = results_max(request.limit)?;
        let wanted = Wanted {
            tool: Tool::Glob,
            selection: Selection::new(Some(&pattern), None, request.all)?,
            content: None,
            depth: Depth::File,
            results_max,
        };
        let found = self.search(&path, wanted).await?;
        let (mut text, rest) = found.render_files(results_max, false);
        if found.files_total == 0 {
            text.push_str(&found.nothing("files"));
        } else if rest > 0 {
            let _ = writeln!(text, "[{rest} more files; narrow the pattern or the path]");
        }
        found.note(&mut text);
        Ok(text)
    }
}

/// Returns the start of the search and the pattern below it. A pattern that starts with `/` contains the start itself.
pub(super) fn anchored(path: &str, pattern: &str) -> Result<(String, String), Error> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(glob_length());
    }
    if pattern.split('/').any(|name| name == "..") {
        return Err(Error::path(pattern, PathProblem::DotDot));
    }
    if pattern.contains(char::is_control) {
        return Err(Error::path(pattern, PathProblem::Control));
    }
    let Some(rest) = pattern.strip_prefix('/').filter(|_| path == "/") else {
        return Ok((path.to_owned(), pattern.to_owned()));
    };
    let names: Vec<&str> = rest.split('/').collect();
    let is_plain = |name: &&&str| !name.contains(['*', '?', '[', '{', '\\']);
    let plain = names.iter().take_while(is_plain).count().min(names.len() - 1);
    let below = names[plain..].join("/");
    // The pattern is anchored at the last plain name; without a `/` it would match at any depth.
    let below = if below.contains('/') { below } else { format!("./{below}") };
    Ok((format!("/{}", names[..plain].join("/")), below))
}
