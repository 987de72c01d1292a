//! Bounded quotes of foreign text for error messages.

use crate::bounds::EXCERPT_BYTES_MAX;

/// Returns the start of `text`, cut at a character boundary, with `…` if something was left out.
pub(crate) fn excerpt(text: &str) -> String {
    let end = text.floor_char_boundary(EXCERPT_BYTES_MAX);
    let mut quoted = text[..end].to_owned();
    if end < text.len() {
        quoted.push('…');
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn a_long_text_is_cut_at_a_character_boundary_and_marked() {
        let long = "ä".repeat(100);
        assert_eq!(excerpt(&long), format!("{}…", "ä".repeat(32)));
        assert_eq!(excerpt("short"), "short");
    }
}
