//! Texts as a person reads them: foreign text with invisible characters escaped, text cut to fit a line, whole
//! sentences, and words of a command to copy.
//!
//! A file name, a line of a file or a note of an agent may contain characters that move the cursor of a terminal,
//! reverse the text around them or are invisible. A person who reviews such a text has to see them.
//!
//! *Invariants*: a shortened text is never longer than its budget, and ends with `…` if something was left out. Recorded
//! text is cut by [`truncate`](crate::truncate) instead, because its marker cannot be mistaken for a part of the text.
//!
//! *Limitations*: letters that look alike stay as they are. A text that spells out an escape looks like one.

use std::borrow::Cow;

use crate::bounds::EXCERPT_BYTES_MAX;

/// Escapes the invisible characters of a text. Tabs and line feeds stay. So do joiners and variation selectors after a
/// letter or sign outside of ASCII, where emoji and many scripts need them.
pub fn visible(text: &str) -> Cow<'_, str> {
    // Printable ASCII is by far the most common case and needs no copy.
    if text.bytes().all(|byte| matches!(byte, b'\t' | b'\n' | b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    let mut before = '\0';
    for one in text.chars() {
        // A joiner or selector belongs to the visible character before it. Only a zero-width joiner may also follow a
        // variation selector, as in emoji sequences.
        let belongs = matches!(one, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
            && !before.is_ascii()
            && (!cannot_be_seen(before) || (one, before) == ('\u{200d}', '\u{fe0f}'));
        if cannot_be_seen(one) && !belongs && !matches!(one, '\t' | '\n') {
            visible.extend(one.escape_default());
        } else {
            visible.push(one);
        }
        before = one;
    }
    Cow::Owned(visible)
}

/// True if a character is invisible, or affects the text around it.
fn cannot_be_seen(character: char) -> bool {
    character.is_control()
        || is_ignorable(character)
        // Line and paragraph separators, annotation marks and noncharacters.
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}' | '\u{fdd0}'..='\u{fdef}')
}

/// True for characters that are invisible and that file systems ignore when they compare names (Unicode's
/// `Default_Ignorable_Code_Point`). They include those that change the direction of text.
pub fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Mark in place of the omitted text.
const MARK: &str = "…";

/// Returns `text` itself if it has at most `max_bytes`. Otherwise returns as much of its start as leaves room for `…`,
/// without blanks before that.
pub fn shorten(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let Some(room) = max_bytes.checked_sub(MARK.len()) else { return Cow::Borrowed("") };
    let kept = text[..text.floor_char_boundary(room)].trim_end();
    Cow::Owned([kept, MARK].concat())
}

/// Returns the start of a foreign text for a quote in an error message.
pub(crate) fn excerpt(text: &str) -> String {
    shorten(text, EXCERPT_BYTES_MAX + MARK.len()).into_owned()
}

/// Turns a text into a sentence, with a capital at its start and a full stop at its end. Errors are written as parts of
/// sentences, so that one can quote another; a person reads whole ones. A text that begins with the name of a file, a
/// field or a run keeps that name as it is.
pub fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    let word = text.split_whitespace().next().unwrap_or_default();
    // Anything but a plain word of letters is a name: `format.json`, `output.artifacts[0]`, `startKey`, `amber-otter`.
    let word = word.trim_end_matches([',', ':', ';', '.', '!', '?']);
    let is_word = word.chars().all(char::is_lowercase);
    let mut rest = text.chars();
    let first = rest.next().filter(|_| is_word && !text.starts_with(char::is_whitespace));
    let first = first.map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let rest = if first.is_empty() { text } else { rest.as_str() };
    [first.as_str(), rest, end].concat()
}

/// Returns a text as one word of a shell.
pub fn shell_word(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./+:@%=".contains(letter);
    let is_plain = !text.is_empty() && text.chars().all(plain);
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out_and_everything_else_stays() {
        for (text, expected) in [
            ("fn main() {\n\tä ß 漢字 → ✓\n}", "fn main() {\n\tä ß 漢字 → ✓\n}"),
            ("a\u{202e}b\u{2066}c", r"a\u{202e}b\u{2066}c"),
            ("\u{1b}[31mred\u{7}\rover\0", r"\u{1b}[31mred\u{7}\rover\u{0}"),
            ("\u{feff}pass\u{200b}word\u{ad}", r"\u{feff}pass\u{200b}word\u{ad}"),
            ("is\u{200d}_admin\u{fe0f}", r"is\u{200d}_admin\u{fe0f}"),
            ("\u{e0041}\u{fdd1}\u{2028}", r"\u{e0041}\u{fdd1}\u{2028}"),
            // Emoji and words that need their joiners.
            (
                "⚠\u{fe0f} ❤\u{fe0f}\u{200d}🔥 نمی\u{200c}دانم",
                "⚠\u{fe0f} ❤\u{fe0f}\u{200d}🔥 نمی\u{200c}دانم",
            ),
            // More joiners than belong there.
            ("⚠\u{fe0f}\u{fe0e}\u{200d}\u{200d}", "⚠\u{fe0f}\\u{fe0e}\\u{200d}\\u{200d}"),
        ] {
            assert_eq!(visible(text), expected);
            assert_eq!(visible(&visible(text)), expected);
        }
    }

    #[test]
    fn a_text_that_is_too_long_ends_with_a_mark_and_fits() {
        let check = |text: &str, max_bytes: usize, expected: &str| {
            let shortened = shorten(text, max_bytes);
            assert_eq!(shortened, expected, "{text:?} in {max_bytes}");
            assert!(shortened.len() <= max_bytes);
        };
        check("short", 5, "short");
        check("longer", 5, "lo…");
        check("a  longer", 6, "a…");
        check("ääää", 7, "ää…");
        check("ääää", 8, "ääää");
        check("äääää", 8, "ää…");
        check("longer", 3, "…");
        check("longer", 2, "");
        check("", 0, "");
    }

    #[test]
    fn a_long_quote_is_cut_at_a_character_boundary_and_marked() {
        let long = "ä".repeat(100);
        assert_eq!(excerpt(&long), format!("{}…", "ä".repeat(32)));
        assert_eq!(excerpt("short"), "short");
    }

    #[test]
    fn a_sentence_begins_with_a_capital_and_a_name_stays_as_it_is() {
        for (text, expected) in [
            ("", "."),
            ("no token", "No token."),
            ("über allem", "Über allem."),
            ("no: it is gone!", "No: it is gone!"),
            ("I/O failed", "I/O failed."),
            ("`goal` is empty", "`goal` is empty."),
            ("table.sqlite3 is damaged", "table.sqlite3 is damaged."),
            ("output.artifacts[0] is a list", "output.artifacts[0] is a list."),
            ("startKey is empty", "startKey is empty."),
            ("amber-otter is done", "amber-otter is done."),
            ("/tmp/x is no file", "/tmp/x is no file."),
        ] {
            assert_eq!(sentence(text), expected);
        }
    }
}
