//! Tables: rows under headings, aligned by visible width, and no wider than the terminal.
//!
//! *Limitations*: on a terminal that is too narrow for the shortest readable columns, rows still wrap.

use std::array;
use std::borrow::Cow;

use piton_core::visible;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::bounds::COLUMN_WIDTH_MIN;
use crate::style::{Tone, styled};

/// The gap between two columns.
const GAP: &str = "  ";

/// A table cell: a text and the state that its colour shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    state: Option<Tone>,
}

impl Cell {
    pub(crate) fn of(state: Tone, text: impl Into<String>) -> Self {
        Self { state: Some(state), ..Self::from(text) }
    }

    fn width(&self) -> usize {
        self.text.width()
    }

    /// Returns the text in `width` columns. A longer one is cut, a shorter one is padded unless it `is_last`.
    fn fitted(&self, width: usize, is_last: bool) -> String {
        let text = cut(&self.text, width);
        let gap = if is_last { 0 } else { width.saturating_sub(text.width()) };
        let gap = " ".repeat(gap);
        match self.state {
            Some(state) => format!("{}{gap}", styled(state, text)),
            None => format!("{text}{gap}"),
        }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: visible(&text.into()).into_owned(), state: None }
    }
}

/// Cuts a text to at most `width` columns, and marks the cut.
fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let mut left = width.saturating_sub(1);
    let fits = |one: &char| {
        let taken = one.width().unwrap_or(0);
        let is_room = taken <= left;
        left = left.saturating_sub(taken);
        is_room
    };
    let kept: String = text.chars().take_while(fits).collect();
    Cow::Owned(format!("{}…", kept.trim_end()))
}

/// Formats a table as lines. The last cell of a line gets no padding. With a width, cells are cut so that no line is
/// wider, the longest columns first.
pub(crate) fn lines<const N: usize>(
    heads: [&str; N],
    rows: &[[Cell; N]],
    width_max: Option<usize>,
) -> Vec<String> {
    let heads = heads.map(|head| Cell::of(Tone::Faint, head));
    let all = || std::iter::once(&heads).chain(rows);
    let mut widths: [usize; N] =
        array::from_fn(|column| all().map(|row| row[column].width()).max().unwrap_or(0));
    if let Some(width_max) = width_max {
        let heads = heads.each_ref().map(Cell::width);
        narrow(&mut widths, &heads, width_max.saturating_sub(GAP.len() * N.saturating_sub(1)));
    }
    let line = |row: &[Cell; N]| {
        let cells = row.iter().zip(widths).enumerate();
        let cells = cells.map(|(place, (cell, width))| cell.fitted(width, place + 1 == N));
        cells.collect::<Vec<_>>().join(GAP)
    };
    all().map(line).collect()
}

/// Narrows columns until they fit into `space` together: always the widest, and of equal ones the last. The first
/// column names what a line is about and keeps its width. No other gets narrower than its head or than a few letters.
fn narrow<const N: usize>(widths: &mut [usize; N], heads: &[usize; N], space: usize) {
    let least = |column: usize| heads[column].max(COLUMN_WIDTH_MIN);
    while widths.iter().sum::<usize>() > space {
        let can_give = |column: &usize| widths[*column] > least(*column);
        let widest = (1..N).filter(can_give).max_by_key(|column| widths[*column]);
        let Some(column) = widest else { break };
        widths[column] -= 1;
    }
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::style::printable;

    fn plain(lines: &[String]) -> Vec<String> {
        lines.iter().map(|line| strip_str(&printable(line)).to_string()).collect()
    }

    #[test]
    fn columns_are_as_wide_as_what_people_see() {
        let rows = [
            ["ä".into(), "1".into()],
            ["漢字".into(), Cell::of(Tone::Good, "2")],
            ["e\u{301}".into(), "3".into()],
        ];
        assert_eq!(
            plain(&lines(["A", "B"], &rows, None)),
            ["A     B", "ä     1", "漢字  2", "e\u{301}     3"]
        );
    }

    #[test]
    fn on_a_narrow_terminal_the_longest_columns_are_cut_and_the_first_stays() {
        let rows = [
            ["amber-otter".into(), "why is the login test flaky".into(), "2 min ago".into()],
            ["plain-ibis".into(), "漢字漢字漢字漢字漢字漢字".into(), Cell::of(Tone::Bad, "now")],
        ];
        let heads = ["RUN", "GOAL", "LAST"];
        let check = |width: usize, expected: [&str; 3]| {
            let lines = plain(&lines(heads, &rows, Some(width)));
            assert_eq!(lines, expected, "{width}");
            assert!(lines.iter().all(|line| line.width() <= width), "{width}: {lines:?}");
        };
        check(
            80,
            [
                "RUN          GOAL                         LAST",
                "amber-otter  why is the login test flaky  2 min ago",
                "plain-ibis   漢字漢字漢字漢字漢字漢字     now",
            ],
        );
        check(
            40,
            [
                "RUN          GOAL              LAST",
                "amber-otter  why is the logi…  2 min ago",
                "plain-ibis   漢字漢字漢字漢…   now",
            ],
        );
        // Too narrow for what has to stay readable: nothing is cut further.
        assert_eq!(plain(&lines(heads, &rows, Some(5)))[1], "amber-otter  why is…  2 min…");
    }
}
