//! `grep`

use std::fmt::Write as _;

use super::glob::anchored;
use super::search::{FoundAll, ROOM, Wanted, results_max};
use crate::bounds::CONTEXT_LINES_MAX;
use crate::error::Error;
use crate::files::Files;
use crate::path::LogicalPath;
use crate::scope::Tool;
use crate::search::{ContentMatcher, ContentOptions, Depth, FoundFile, Selection};
use crate::tools::{GrepOutput, GrepRequest};

impl Files {
    /// Finds lines in files.
    pub async fn grep(&self, request: GrepRequest) -> Result<String, Error> {
        if request.context > CONTEXT_LINES_MAX {
            return Err(Error::Limit(format!("`context` is at most {CONTEXT_LINES_MAX}")));
        }
        if let Some(glob) = &request.glob {
            anchored("", glob)?;
        }
        let results_max = results_max(request.limit)?;
        let options = ContentOptions {
            literal: request.literal,
            ignore_case: request.ignore_case,
            context: usize::try_from(request.context).expect("the context is small"),
        };
        let wanted = Wanted {
            tool: Tool::Grep,
            selection: Selection::new(
                request.glob.as_deref(),
                request.file_type.as_deref(),
                request.all,
            )?,
            content: Some(ContentMatcher::new(&request.pattern, options)?),
            depth: match request.output {
                GrepOutput::Lines => Depth::Lines,
                GrepOutput::Files => Depth::File,
                GrepOutput::Count => Depth::Count,
            },
            results_max,
        };
        let found = self.search(&request.path, wanted).await?;
        let (mut text, rest, what) = if request.output == GrepOutput::Lines {
            let (text, rest) = render_lines(&found, results_max, request.context > 0);
            (text, rest, "matching lines")
        } else {
            let counts = request.output == GrepOutput::Count;
            let (text, rest) = found.render_files(results_max, counts);
            (text, rest, "files")
        };
        if found.files_total == 0 {
            text.push_str(&found.nothing("lines"));
        } else if rest > 0 {
            let _ =
                writeln!(text, "[{rest} more {what}; narrow the pattern, the path or the glob]");
        }
        found.note(&mut text);
        Ok(text)
    }
}

/// Renders the first matching lines. Also returns the number of those that are not shown.
fn render_lines(found: &FoundAll, results_max: usize, groups: bool) -> (String, u64) {
    let mut text = String::new();
    let mut lines = 0;
    let mut matches = 0;
    for (path, file) in &found.files {
        let whole =
            render_file(path, file, groups, results_max, &mut lines, &mut matches, &mut text);
        if !whole {
            break;
        }
    }
    (text, found.matches_total.saturating_sub(matches))
}

/// Renders the lines of one file. Returns true if all of them fit.
fn render_file(
    path: &LogicalPath,
    file: &FoundFile,
    groups: bool,
    results_max: usize,
    lines: &mut usize,
    matches: &mut u64,
    text: &mut String,
) -> bool {
    let mut last = None;
    for line in &file.lines {
        if *lines == results_max || text.len() + path.as_str().len() + line.text.len() > ROOM {
            return false;
        }
        let follows = last.is_some_and(|last| line.number == last + 1);
        if groups && !follows && !text.is_empty() {
            text.push_str("--\n");
        }
        let mark = if line.is_match { ':' } else { '-' };
        let _ = writeln!(text, "{path}{mark}{}{mark}{}", line.number, line.text);
        last = Some(line.number);
        *lines += 1;
        *matches += u64::from(line.is_match);
    }
    true
}
