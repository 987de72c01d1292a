//! Replacing text in text: pure.
//!
//! *Invariants*: the text is found exactly as given. In a file whose lines end with CR LF, a line end in
//! the old and the new text stands for CR LF; every other line of the file keeps its end.

use crate::bounds::{FILE_BYTES_MAX, HITS_LISTED_MAX};

/// A text with something replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The new text.
    pub text: String,
    /// How often something was replaced.
    pub count: u64,
    /// The line on which the first change begins, counted from one.
    pub first_line: u64,
    /// The lines that the new text has there.
    pub lines: u64,
}

/// Why nothing is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplaceProblem {
    /// The old text is empty.
    EmptyOld,
    /// The old and the new text are the same.
    Same,
    /// The old text does not occur; the line that differs from it in blanks only, if there is one.
    NotFound(Option<u64>),
    /// The old text occurs more than once.
    Ambiguous {
        /// How often.
        count: u64,
        /// The first lines on which it begins.
        lines: Vec<u64>,
    },
    /// The new text would be larger than a file may be.
    TooLarge {
        /// How large, in bytes.
        bytes: u64,
    },
}

/// Replaces `old` by `new` in `text`: once, or with `all` everywhere.
pub fn replace(text: &str, old: &str, new: &str, all: bool) -> Result<Replaced, ReplaceProblem> {
    if old.is_empty() {
        return Err(ReplaceProblem::EmptyOld);
    }
    if old == new {
        return Err(ReplaceProblem::Same);
    }
    if text.contains(old) || !text.contains("\r\n") || old.contains('\r') {
        return replace_exact(text, old, new, all);
    }
    let with_returns = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
    replace_exact(text, &with_returns(old), &with_returns(new), all).map_err(
        |problem| match problem {
            ReplaceProblem::NotFound(_) => ReplaceProblem::NotFound(nearly(text, old)),
            other => other,
        },
    )
}

fn replace_exact(text: &str, old: &str, new: &str, all: bool) -> Result<Replaced, ReplaceProblem> {
    let places: Vec<usize> = text.match_indices(old).map(|(at, _)| at).collect();
    let Some(first) = places.first() else {
        return Err(ReplaceProblem::NotFound(nearly(text, old)));
    };
    if places.len() > 1 && !all {
        let lines = places.iter().take(HITS_LISTED_MAX).map(|at| line_of(text, *at)).collect();
        return Err(ReplaceProblem::Ambiguous { count: places.len() as u64, lines });
    }
    // Asked before anything is made: a short text that is replaced everywhere by a long one fills any memory.
    let kept = (text.len() - places.len() * old.len()) as u64;
    let bytes = (places.len() as u64).saturating_mul(new.len() as u64).saturating_add(kept);
    if bytes > FILE_BYTES_MAX {
        return Err(ReplaceProblem::TooLarge { bytes });
    }
    Ok(Replaced {
        text: text.replace(old, new),
        count: places.len() as u64,
        first_line: line_of(text, *first),
        lines: new.matches('\n').count() as u64 + 1,
    })
}

fn line_of(text: &str, at: usize) -> u64 {
    text[..at].matches('\n').count() as u64 + 1
}

/// The line at which the text stands if blanks at both ends of lines are left out.
fn nearly(text: &str, old: &str) -> Option<u64> {
    let wanted: Vec<&str> = old.trim().lines().map(str::trim).collect();
    if wanted.iter().all(|line| line.is_empty()) {
        return None;
    }
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let at = lines.windows(wanted.len()).position(|window| window == wanted)?;
    Some(at as u64 + 1)
}
