//! Tables: rows under headings, aligned by visible width.

use piton_core::visible;
use unicode_width::UnicodeWidthStr as _;

use crate::style::{Tone, styled};

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

    fn padded(&self, width: usize) -> String {
        let gap = " ".repeat(width.saturating_sub(self.width()));
        let text = &self.text;
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

/// Formats a table as lines. The last cell of a line gets no padding.
pub(crate) fn lines<const N: usize>(heads: [&str; N], rows: &[[Cell; N]]) -> Vec<String> {
    let heads = heads.map(|head| Cell::of(Tone::Faint, head));
    let all = || std::iter::once(&heads).chain(rows);
    let width = |column: usize| all().map(|row| row[column].width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |row: &[Cell; N]| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells
            .map(|(place, (cell, width))| cell.padded(if place + 1 == N { 0 } else { *width }));
        cells.collect::<Vec<_>>().join("  ")
    };
    all().map(line).collect()
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::style::printable;

    #[test]
    fn columns_are_as_wide_as_what_people_see() {
        let rows = [
            ["ä".into(), "1".into()],
            ["漢字".into(), Cell::of(Tone::Good, "2")],
            ["e\u{301}".into(), "3".into()],
        ];
        let lines = lines(["A", "B"], &rows);
        let plain: Vec<String> =
            lines.iter().map(|line| strip_str(&printable(line)).to_string()).collect();
        assert_eq!(plain, ["A     B", "ä     1", "漢字  2", "e\u{301}     3"]);
    }
}
