//! Replacing text in text: pure.
//!
//! *Invariants*: the text is found exactly as given, but for line ends: a line end in the old text stands for
//! whichever the file has there, and one in the new text becomes what the file has there. CR LF is one line end and is
//! never taken apart, so a file whose lines all end with CR LF keeps that. Every byte outside of what is replaced is
//! kept.

use std::{borrow::Cow, ops::Range};

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
    /// The old and the new text differ in line ends only, and those are the file's.
    SameButLineEnds,
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
    if !text.contains("\r\n") {
        return replace_in(&NormalizedLines::with_one_end(text), old, new, all);
    }
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    if old == new {
        return Err(ReplaceProblem::SameButLineEnds);
    }
    replace_in(&NormalizedLines::of(text), &old, &new, all)
}

/// A text in which every line ends with a line feed, and which of them had a carriage return before it.
struct NormalizedLines<'a> {
    text: Cow<'a, str>,
    /// Where in `text` the line ends are that are CR LF, in order.
    returns: Vec<usize>,
    /// Whether the others are part of it as well: a text with line ends of both kinds.
    is_mixed: bool,
}

impl<'a> NormalizedLines<'a> {
    /// A text without CR LF.
    fn with_one_end(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), returns: Vec::new(), is_mixed: false }
    }

    fn of(text: &str) -> Self {
        let crlf = text.match_indices("\r\n").enumerate();
        // Each CR LF before one makes it stand one byte earlier.
        let returns: Vec<usize> = crlf.map(|(before, (at, _))| at - before).collect();
        let is_mixed = text.matches('\n').count() > returns.len();
        Self { text: Cow::Owned(text.replace("\r\n", "\n")), returns, is_mixed }
    }

    /// A part of the text as it was, with its own line ends.
    fn push(&self, range: Range<usize>, into: &mut String) {
        let mut from = range.start;
        let first = self.returns.partition_point(|at| *at < range.start);
        for at in self.returns[first..].iter().take_while(|at| **at < range.end) {
            into.push_str(&self.text[from..*at]);
            into.push('\r');
            from = *at;
        }
        into.push_str(&self.text[from..range.end]);
    }

    /// New text in place of a part: its line ends are those of that part, one by one and then as its last. Where the
    /// part has none, they are as the end of the line that it is in, or of the line before.
    fn push_new(&self, new: &str, range: Range<usize>, into: &mut String) {
        if self.returns.is_empty() {
            return into.push_str(new);
        }
        let has_return = |at: usize| self.returns.binary_search(&at).is_ok();
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
    // Asked before anything is made: a short text that is replaced everywhere by a long one fills any memory.
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
