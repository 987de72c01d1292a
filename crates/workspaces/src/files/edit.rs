//! `edit`

use std::fmt::Write as _;

use super::replace_text::{ReplaceProblem, Replaced, replace};
use crate::bounds::{EDIT_BYTES_MAX, FILE_BYTES_MAX, LINE_CHARACTERS_MAX, SNIPPET_LINES_MAX};
use crate::error::Error;
use crate::files::Files;
use crate::files::service::store_error;
use crate::path::LogicalPath;
use crate::scope::{Right, Tool};
use crate::store::{Expected, FileChange, FileVersion, NotTextKind, StoreFault};
use crate::tools::EditRequest;

impl Files {
    /// Replaces text in a file.
    pub async fn edit(&self, request: EditRequest) -> Result<String, Error> {
        let target = self.permit(Tool::Edit, Right::Change, &request.path)?;
        let expected = Self::expected(&target, request.version.as_deref())?;
        let target = self.located(target).await?;
        let loaded = target.workspace.store.load(target.at.clone(), EDIT_BYTES_MAX).await;
        let loaded = loaded.map_err(|fault| store_error(&target, fault))?;
        // Check the version that the caller names before searching, so that a stale edit is reported as such.
        expected.check(Some(&loaded.digest)).map_err(|fault| store_error(&target, fault))?;
        let bytes = loaded.bytes.len() as u64;
        let text = String::from_utf8(loaded.bytes).map_err(|_| {
            store_error(&target, StoreFault::NotText { bytes, kind: NotTextKind::OtherEncoding })
        })?;
        let replaced =
            replace(&text, &request.old_string, &request.new_string, request.replace_all);
        let replaced = replaced.map_err(|problem| refused(&target.path, problem))?;
        let change = FileChange::Write {
            path: target.at.clone(),
            bytes: replaced.text.as_bytes().into(),
            // Refuses to write if the file changed since it was read.
            expected: Expected::Digest(loaded.digest),
            executable: None,
        };
        let changed = self.change(Tool::Edit, &target, None, change).await?;
        Ok(render(&target.path, &replaced, changed.version.as_ref()))
    }
}

fn refused(path: &LogicalPath, problem: ReplaceProblem) -> Error {
    match problem {
        ReplaceProblem::EmptyOld => {
            Error::BadArgument("`old_string` is empty; use `write` to fill a file".into())
        }
        ReplaceProblem::Same => {
            Error::BadArgument("`old_string` and `new_string` are the same".into())
        }
        ReplaceProblem::SameButLineEnds => Error::BadArgument(format!(
            "`old_string` and `new_string` differ in line ends only, and `edit` keeps those of {path}; use `write` to change them"
        )),
        ReplaceProblem::NotFound(nearly) => Error::NoMatch {
            path: path.clone(),
            hint: nearly.map(|line| format!("; line {line} differs from it in blanks only")),
        },
        ReplaceProblem::Ambiguous { count, lines } => {
            Error::Ambiguous { path: path.clone(), count, lines }
        }
        ReplaceProblem::TooLarge { bytes } => {
            let fault = StoreFault::TooLarge { bytes, max: FILE_BYTES_MAX };
            Error::File { path: path.clone(), fault }
        }
    }
}

/// Renders the result, with the lines around the first change.
fn render(path: &LogicalPath, replaced: &Replaced, version: Option<&FileVersion>) -> String {
    let count = replaced.count;
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let mut text = format!("replaced {times} in {path}");
    if let Some(version) = version {
        let _ = write!(text, ", version {version}");
    }
    text.push('\n');
    let first = replaced.first_line.saturating_sub(2).max(1);
    let shown = usize::try_from(replaced.lines + 4).unwrap_or(SNIPPET_LINES_MAX);
    let skip = usize::try_from(first - 1).unwrap_or_default();
    let lines = replaced.text.lines().skip(skip).take(shown.min(SNIPPET_LINES_MAX));
    for (number, line) in (first..).zip(lines) {
        let end = line.floor_char_boundary(LINE_CHARACTERS_MAX);
        let _ = writeln!(text, "{number:>6}\t{}", &line[..end]);
    }
    text
}
