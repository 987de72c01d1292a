//! Colour, which marks state and nothing else. What is printed reads the same without it.
//!
//! *Invariants*: the codes of a terminal are written here and nowhere else. Until a text is printed, characters that
//! stand for nothing in Unicode take their place: so a code in the text of an agent is escaped like everything else that
//! cannot be seen.

use std::fmt;

use piton_core::visible;

/// What stands for a colour, and for its end, until a text is printed.
const MARKS: [(char, &str); 5] = [
    (END, "\x1b[0m"),
    (GOOD, "\x1b[32m"),
    (ATTENTION, "\x1b[33m"),
    (BAD, "\x1b[31m"),
    (FAINT, "\x1b[2m"),
];
const END: char = '\u{fdd0}';
const GOOD: char = '\u{fdd1}';
const ATTENTION: char = '\u{fdd2}';
const BAD: char = '\u{fdd3}';
const FAINT: char = '\u{fdd4}';

/// What a text says about the state of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// In order.
    Good,
    /// Somebody should look.
    Attention,
    /// Not in order.
    Bad,
    /// Beside the point.
    Faint,
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
        };
        write!(formatter, "{mark}{}{END}", visible(&text.to_string()))
    }
}

/// A text as a terminal gets it: with colours, and with everything escaped that cannot be seen.
pub(crate) fn printable(text: &str) -> String {
    let code = |one: char| MARKS.iter().find(|(mark, _)| *mark == one).map(|(_, code)| *code);
    // The end of a line, whoever writes it so, is nothing that has to be seen.
    let text = text.replace("\r\n", "\n");
    let mut printable = String::with_capacity(text.len());
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
