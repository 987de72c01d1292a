//! Short forms of texts for display in a line among others.
//!
//! *Invariants*: the result is never longer than its budget, and ends with `…` if something was left out. Recorded text
//! is cut by [`truncate`](crate::truncate) instead, because its marker cannot be mistaken for a part of the text.

use std::borrow::Cow;

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

#[cfg(test)]
mod tests {
    use super::shorten;

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
}
