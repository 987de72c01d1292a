//! Foreign text for display to a person, with invisible characters escaped.
//!
//! A file name, a line of a file or a note of an agent may contain characters that move the cursor of a terminal,
//! reverse the text around them or are invisible. A person who reviews such a text has to see them.
//!
//! *Limitations*: letters that look alike stay as they are. A text that spells out an escape looks like one.

use std::borrow::Cow;

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

#[cfg(test)]
mod tests {
    use super::visible;

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
}
