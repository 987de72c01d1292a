//! Reduces a text of many lines to one.

/// Returns the first line of a text that says something, without the marks of a heading or a list.
pub fn headline(text: &str) -> Option<&str> {
    let is_mark = |character: char| character.is_whitespace() || "#*->".contains(character);
    let lines = text.lines().map(|line| line.trim_start_matches(is_mark).trim_end());
    lines.into_iter().find(|line| !line.is_empty())
}
