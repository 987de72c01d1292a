//! Matching the lines of a file.
//!
//! *Invariants*: matching takes time linear in the text for any expression. The size of its automaton and of the
//! longest line are bounded.

use std::io;
use std::io::Read;

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher};
use grep_regex::{RegexCaptures, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkError, SinkFinish, SinkMatch,
};
use piton_core::visible;

use super::{Depth, FoundFile, FoundLine, Skipped};
use crate::bounds::{
    GREP_LINE_CHARACTERS_MAX, REGEX_BYTES_MAX, REGEX_SIZE_MAX, REPLY_BYTES_MAX,
    SEARCH_HEAP_BYTES_MAX,
};
use crate::error::Error;
use crate::path::MountPath;

/// Options of a line match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentOptions {
    /// Treats the pattern as plain text.
    pub literal: bool,
    pub ignore_case: bool,
    /// Number of lines shown before and after a match.
    pub context: usize,
}

/// A compiled line pattern.
#[derive(Debug)]
pub struct ContentMatcher {
    matcher: LineMatcher,
    context: usize,
}

impl ContentMatcher {
    /// Compiles a regular expression or a plain text that matching lines contain.
    pub fn new(pattern: &str, options: ContentOptions) -> Result<Self, Error> {
        if pattern.is_empty() || pattern.len() > REGEX_BYTES_MAX {
            return Err(Error::Limit(format!("a pattern has 1 to {REGEX_BYTES_MAX} bytes")));
        }
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_insensitive(options.ignore_case)
            .fixed_strings(options.literal)
            // `^` and `$` match at the ends of lines. The searcher passes many lines at once; without this the anchors
            // would match at the ends of its buffer.
            .multi_line(true)
            // A carriage return before a line feed belongs to the line ending.
            .crlf(true)
            .size_limit(REGEX_SIZE_MAX)
            .dfa_size_limit(REGEX_SIZE_MAX);
        let matcher = builder.build(pattern).map_err(|error| refused(&error.to_string()))?;
        Ok(Self { matcher: LineMatcher(matcher), context: options.context })
    }

    /// Returns a searcher that can be used for one file after another.
    pub fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .line_number(true)
            .before_context(self.context)
            .after_context(self.context)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(SEARCH_HEAP_BYTES_MAX))
            .build()
    }

    /// Searches one file. A file that is not text counts as skipped, even if a line before the first zero byte matches.
    pub fn search(
        &self,
        searcher: &mut Searcher,
        path: &MountPath,
        reader: impl Read,
        depth: Depth,
    ) -> Result<FoundFile, Skipped> {
        let mut lines = LineSink::new(depth);
        match searcher.search_reader(&self.matcher, reader, &mut lines) {
            _ if lines.binary => Err(Skipped { binary: 1, ..Skipped::default() }),
            Ok(()) => {
                Ok(FoundFile { path: path.clone(), matches: lines.matches, lines: lines.kept })
            }
            // The searcher reports a line larger than its heap limit as an error of kind `Other`.
            Err(error) if error.0.kind() == io::ErrorKind::Other => {
                Err(Skipped { large: 1, ..Skipped::default() })
            }
            Err(_) => Err(Skipped { unreadable: 1, ..Skipped::default() }),
        }
    }
}

/// Matches lines that end with a line feed, with or without a carriage return before it.
///
/// The searcher supports only one of the two line endings at a time. Set to CR LF, it leaves the line feed of other
/// lines to the expression when it searches line by line, and `\z` matches none of them.
#[derive(Debug)]
struct LineMatcher(RegexMatcher);

impl Matcher for LineMatcher {
    type Captures = RegexCaptures;
    type Error = <RegexMatcher as Matcher>::Error;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, Self::Error> {
        // Line by line, the haystack is one line without its line feed. Otherwise it is many lines, and the expression
        // itself handles their endings.
        let line = match self.line_terminator() {
            None => haystack.strip_suffix(b"\r").unwrap_or(haystack),
            Some(_) => haystack,
        };
        self.0.find_at(line, at)
    }

    fn new_captures(&self) -> Result<RegexCaptures, Self::Error> {
        self.0.new_captures()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.0.line_terminator().map(|_| LineTerminator::byte(b'\n'))
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.0.non_matching_bytes()
    }

    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, Self::Error> {
        self.0.find_candidate_line(haystack)
    }
}

fn refused(error: &str) -> Error {
    let size = error.contains("size limit");
    if size {
        return Error::Limit("the pattern is too complex; make its repetitions smaller".into());
    }
    // The messages of the engine for a pattern that contains a line ending.
    if error.contains("is not allowed in a regex") || error.contains("is impossible to match") {
        return Error::BadArgument(
            "the pattern asks for a line end, and lines are searched one by one, without their ends; search for a part within one line, and set `context` to see the lines around it"
                .into(),
        );
    }
    // The last line of the engine's message names the problem; those before it draw its position.
    let last = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
    Error::BadArgument(format!(
        "the pattern is no regular expression ({last}); set `literal` to search for it as it is"
    ))
}

/// Collects the lines of one file from the searcher.
struct LineSink {
    depth: Depth,
    matches: u64,
    kept: Vec<FoundLine>,
    room: usize,
    binary: bool,
}

impl LineSink {
    const fn new(depth: Depth) -> Self {
        Self { depth, matches: 0, kept: Vec::new(), room: REPLY_BYTES_MAX, binary: false }
    }

    fn keep(&mut self, number: Option<u64>, bytes: &[u8], is_match: bool) {
        if self.depth != Depth::Lines || self.room == 0 {
            return;
        }
        let text = clip(bytes);
        self.room = self.room.saturating_sub(text.len());
        self.kept.push(FoundLine { number: number.unwrap_or_default(), text, is_match });
    }
}

impl Sink for LineSink {
    type Error = SearchFailure;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, SearchFailure> {
        // Outside multi-line mode the searcher reports one line at a time.
        self.matches += 1;
        self.keep(found.line_number(), found.bytes(), true);
        Ok(self.depth != Depth::File)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, SearchFailure> {
        self.keep(context.line_number(), context.bytes(), false);
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, SearchFailure> {
        self.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), SearchFailure> {
        self.binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// Error that ended the search of a file early.
struct SearchFailure(io::Error);

impl SinkError for SearchFailure {
    fn error_message<T: std::fmt::Display>(message: T) -> Self {
        Self(io::Error::other(message.to_string()))
    }

    fn error_io(error: io::Error) -> Self {
        Self(error)
    }
}

/// Returns the line as it is displayed.
fn clip(bytes: &[u8]) -> String {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    // A character has at most four bytes, so this prefix always holds enough of them. The rest is never converted.
    let start = &bytes[..bytes.len().min(4 * GREP_LINE_CHARACTERS_MAX)];
    let text = visible(&String::from_utf8_lossy(start)).into_owned();
    match text.char_indices().nth(GREP_LINE_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None if start.len() < bytes.len() => format!("{text}…"),
        None => text,
    }
}
