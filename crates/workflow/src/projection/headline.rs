//! One line out of a text that may have many.

/// The first line of a text that says something, without the marks of a heading or a list.
pub fn headline(text: &str) -> Option<&str> {
    let is_mark = |character: char| character.is_whitespace() || "#*->".contains(character);
    let lines = text.lines().map(|line| line.trim_start_matches(is_mark).trim_end());
    lines.into_iter().find(|line| !line.is_empty())
}

/// A line of at most `max_bytes`, with `…` where it was cut.
pub fn shorten(line: &str, max_bytes: usize) -> String {
    if line.len() <= max_bytes {
        return line.to_owned();
    }
    let end = line.floor_char_boundary(max_bytes.saturating_sub('…'.len_utf8()));
    format!("{}…", line[..end].trim_end())
}
