//! Colour, which marks state and nothing else, and bold print for headings. Output reads the same without it.
//!
//! *Invariants*: only this module writes terminal escape codes. Until a text is printed, Unicode noncharacters take
//! their place. So an escape code in an agent's text is escaped like every other invisible character.

use std::fmt;

use piton_core::visible;

/// Placeholders for each colour, and for its end, until a text is printed.
const MARKS: [(char, &str); 6] = [
    (END, "\x1b[0m"),
    (GOOD, "\x1b[32m"),
    (ATTENTION, "\x1b[33m"),
    (BAD, "\x1b[31m"),
    (FAINT, "\x1b[2m"),
    (STRONG, "\x1b[1m"),
];
const END: char = '\u{fdd0}';
const GOOD: char = '\u{fdd1}';
const ATTENTION: char = '\u{fdd2}';
const BAD: char = '\u{fdd3}';
const FAINT: char = '\u{fdd4}';
const STRONG: char = '\u{fdd5}';

/// State that a colour expresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    /// A person should look.
    Attention,
    Bad,
    /// Beside the point.
    Faint,
    /// The heading of a page, or a word that its author emphasized.
    Strong,
}

/// A text in the colour of a state.
pub(crate) struct Styled<T>(Tone, T);

/// Marks `text` with a state.
pub(crate) const fn styled<T>(state: Tone, text: T) -> Styled<T> {
    Styled(state, text)
}

impl<T: fmt::Display> fmt::Display for Styled<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(state, text) = self;
        let mark = match state {
            Tone::Good => GOOD,
            Tone::Attention => ATTENTION,
            Tone::Bad => BAD,
            Tone::Faint => FAINT,
            Tone::Strong => STRONG,
            // The text is escaped before the marks are added, so a mark inside it never becomes a colour.
        };
        write!(formatter, "{mark}{}{END}", visible(&text.to_string()))
    }
}

/// Prepares a text for a terminal: resolves colours and escapes everything invisible.
pub(crate) fn printable(text: &str) -> String {
    let code = |one: char| MARKS.iter().find(|(mark, _)| *mark == one).map(|(_, code)| *code);
    // A Windows line ending needs no escape.
    let text = text.replace("\r\n", "\n");
    let mut printable = String::with_capacity(text.len());
    // Each piece ends with at most one mark; only the mark turns into a code, and the rest is escaped.
    for piece in text.split_inclusive(|one| code(one).is_some()) {
        let mark = piece.chars().next_back().and_then(|last| Some((last, code(last)?)));
        let own = mark.map_or(piece, |(last, _)| piece.trim_end_matches(last));
        printable.push_str(&visible(own));
        printable.push_str(mark.map_or("", |(_, code)| code));
    }
    printable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_come_from_a_state_and_not_from_what_somebody_wrote() {
        let line = format!("{} \x1b[31m{}", styled(Tone::Good, "+\x1b[0m\u{fdd3}a"), "\u{202e}b");
        let expected = "\x1b[32m+\\u{1b}[0m\\u{fdd3}a\x1b[0m \\u{1b}[31m\\u{202e}b";
        assert_eq!(printable(&line), expected);
        assert_eq!(printable("one\r\ntwo\rthree"), "one\ntwo\\rthree");
    }
}
