//! `edit`, and the replacement of text as a pure function.
//!
//! *Invariants*: the old text is matched exactly, except for line endings. A line ending in the old text matches any
//! line ending of the file, and one in the new text becomes the line ending that the file has there. CR LF is one line
//! ending and is never split, so a file whose lines all end with CR LF keeps that. Every byte outside of the replaced
//! parts is kept.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use crate::blocking::as_a_whole;
use crate::bounds::{
    EDIT_BYTES_MAX, FILE_BYTES_MAX, HITS_LISTED_MAX, LINE_CHARACTERS_MAX, SNIPPET_LINES_MAX,
};
use crate::error::Error;
use crate::files::Files;
use crate::files::service::store_error;
use crate::path::LogicalPath;
use crate::scope::{Right, Tool};
use crate::store::{Expected, FileChange, FileVersion, NotTextKind, StoreFault};
use crate::tools::EditRequest;
use crate::workspaces::LocatedPath;

impl Files {
    /// Replaces text in a file.
    pub async fn edit(&self, request: EditRequest) -> Result<String, Error> {
        let target = self.permit(Tool::Edit, Right::Change, &request.path)?;
        let expected = Self::expected(&target, request.version.as_deref())?;
        let files = self.clone();
        as_a_whole(async move { files.edit_located(target, &expected, &request).await }).await
    }

    async fn edit_located(
        &self,
        target: LocatedPath,
        expected: &Expected,
        request: &EditRequest,
    ) -> Result<String, Error> {
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

/// Text after a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    pub text: String,
    /// Number of replacements.
    pub count: u64,
    /// Line on which the first change begins, starting at one.
    pub first_line: u64,
    /// Number of lines of the new text there.
    pub lines: u64,
}

/// Reason that nothing is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplaceProblem {
    EmptyOld,
    /// The old and the new text are equal.
    Same,
    /// The old and the new text differ only in line endings, which the file determines.
    SameButLineEnds,
    /// The old text does not occur. Holds the line that differs from it only in blanks, if there is one.
    NotFound(Option<u64>),
    /// The old text occurs more than once.
    Ambiguous {
        count: u64,
        /// First lines on which it begins.
        lines: Vec<u64>,
    },
    /// The new text would exceed the maximum size of a file.
    TooLarge {
        bytes: u64,
    },
}

/// Replaces `old` with `new` in `text`: once, or everywhere with `all`.
pub fn replace(text: &str, old: &str, new: &str, all: bool) -> Result<Replaced, ReplaceProblem> {
    if old.is_empty() {
        return Err(ReplaceProblem::EmptyOld);
    }
    if old == new {
        return Err(ReplaceProblem::Same);
    }
    // Without CR LF in the file the text is matched as it is, and nothing has to be copied.
    if !text.contains("\r\n") {
        return replace_in(&NormalizedLines::with_one_end(text), old, new, all);
    }
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    if old == new {
        return Err(ReplaceProblem::SameButLineEnds);
    }
    replace_in(&NormalizedLines::of(text), &old, &new, all)
}

/// A text with all line endings normalized to a line feed, and the positions of those that were CR LF.
struct NormalizedLines<'a> {
    text: Cow<'a, str>,
    /// Positions in `text` of the line endings that were CR LF, in order.
    returns: Vec<usize>,
    /// Set if the text has line endings of both kinds.
    is_mixed: bool,
}

impl<'a> NormalizedLines<'a> {
    /// Wraps a text without CR LF.
    fn with_one_end(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), returns: Vec::new(), is_mixed: false }
    }

    fn of(text: &str) -> Self {
        let crlf = text.match_indices("\r\n").enumerate();
        // Each preceding CR LF loses one byte, which moves this one forward.
        let returns: Vec<usize> = crlf.map(|(before, (at, _))| at - before).collect();
        let is_mixed = text.matches('\n').count() > returns.len();
        Self { text: Cow::Owned(text.replace("\r\n", "\n")), returns, is_mixed }
    }

    /// Appends a part of the original text, with its original line endings.
    fn push(&self, range: Range<usize>, into: &mut String) {
        let mut from = range.start;
        let first = self.returns.partition_point(|at| *at < range.start);
        for at in self.returns[first..].iter().take_while(|at| **at < range.end) {
            // Put back the carriage return that normalizing removed before this line feed.
            into.push_str(&self.text[from..*at]);
            into.push('\r');
            from = *at;
        }
        into.push_str(&self.text[from..range.end]);
    }

    /// Appends new text in place of a part. It takes over the line endings of that part one by one, and repeats the
    /// last one. If the part has none, it uses the ending of the line that contains it, or of the line before.
    fn push_new(&self, new: &str, range: Range<usize>, into: &mut String) {
        if self.returns.is_empty() {
            return into.push_str(new);
        }
        let has_return = |at: usize| self.returns.binary_search(&at).is_ok();
        // The surrounding lines decide only if the replaced part has no line ending of its own.
        let around = || {
            let next = self.text[range.end..].find('\n').map(|at| range.end + at);
            next.or_else(|| self.text[..range.start].rfind('\n')).is_none_or(has_return)
        };
        let mut ends = self.text[range.clone()].match_indices('\n').map(|(at, _)| range.start + at);
        let mut last = None;
        for (nth, line) in new.split('\n').enumerate() {
            if nth > 0 {
                last = match ends.next() {
                    _ if !self.is_mixed => Some(true),
                    Some(at) => Some(has_return(at)),
                    None => last.or_else(|| Some(around())),
                };
                into.push_str(if last == Some(true) { "\r\n" } else { "\n" });
            }
            into.push_str(line);
        }
    }
}

fn replace_in(
    lines: &NormalizedLines<'_>,
    old: &str,
    new: &str,
    all: bool,
) -> Result<Replaced, ReplaceProblem> {
    let text = &*lines.text;
    let places: Vec<usize> = text.match_indices(old).map(|(at, _)| at).collect();
    let Some(first) = places.first() else {
        return Err(ReplaceProblem::NotFound(nearly(text, old)));
    };
    if places.len() > 1 && !all {
        let lines = places.iter().take(HITS_LISTED_MAX).map(|at| line_of(text, *at)).collect();
        return Err(ReplaceProblem::Ambiguous { count: places.len() as u64, lines });
    }
    // Checked before anything is allocated: replacing a short text everywhere with a long one could exhaust the memory.
    // An upper bound: it counts every line ending of a file with CR LF as two bytes.
    let kept = (text.len() - places.len() * old.len() + lines.returns.len()) as u64;
    let ends = if lines.returns.is_empty() { 0 } else { new.matches('\n').count() };
    let each = (new.len() + ends) as u64;
    let bytes = (places.len() as u64).saturating_mul(each).saturating_add(kept);
    if bytes > FILE_BYTES_MAX {
        return Err(ReplaceProblem::TooLarge { bytes });
    }
    let (mut made, mut from) = (String::new(), 0);
    for at in &places {
        let range = *at..at + old.len();
        lines.push(from..range.start, &mut made);
        from = range.end;
        lines.push_new(new, range, &mut made);
    }
    lines.push(from..text.len(), &mut made);
    Ok(Replaced {
        text: made,
        count: places.len() as u64,
        first_line: line_of(text, *first),
        lines: new.matches('\n').count() as u64 + 1,
    })
}

fn line_of(text: &str, at: usize) -> u64 {
    text[..at].matches('\n').count() as u64 + 1
}

/// Returns the line at which the text occurs if blanks at both ends of lines are ignored.
fn nearly(text: &str, old: &str) -> Option<u64> {
    let wanted: Vec<&str> = old.trim().lines().map(str::trim).collect();
    if wanted.iter().all(|line| line.is_empty()) {
        return None;
    }
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let at = lines.windows(wanted.len()).position(|window| window == wanted)?;
    Some(at as u64 + 1)
}
