//! A summary without a model: what can be told from the form of a text. Pure.
//!
//! Of each piece it keeps the headings, the first sentence and the names of symbols, each at most a line, within an
//! equal share of the bytes.

use std::fmt::Write as _;

use piton_core::truncate;

use super::Piece;

/// Words before the name of a symbol, in the languages that agents mostly write about.
const SYMBOL_WORDS: [&str; 12] = [
    "fn ",
    "struct ",
    "enum ",
    "trait ",
    "impl ",
    "mod ",
    "class ",
    "def ",
    "function ",
    "interface ",
    "type ",
    "func ",
];

/// Words that stand before those.
const MODIFIERS: [&str; 7] =
    ["pub(crate) ", "pub ", "export ", "async ", "default ", "abstract ", "static "];

/// Names of symbols of one piece that are told.
const SYMBOLS_MAX: usize = 24;

/// A summary of at most `bytes_max` bytes.
pub(super) fn summary(pieces: &[Piece], bytes_max: usize) -> String {
    let mut text = String::new();
    let share = bytes_max.checked_div(pieces.len()).unwrap_or(0);
    for piece in pieces {
        let mut part = format!("{} ({})\n", piece.path, piece.frame_type);
        describe(&String::from_utf8_lossy(&piece.content), &mut part);
        text.push_str(&truncate(&part, share));
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    truncate(&text, bytes_max).into_owned()
}

fn describe(content: &str, part: &mut String) {
    let headings = content.lines().map(str::trim).filter(|line| line.starts_with('#'));
    for heading in headings.filter(|line| line.trim_start_matches('#').starts_with(' ')) {
        let _ = writeln!(part, "  {heading}");
    }
    if let Some(sentence) = first_sentence(content) {
        let _ = writeln!(part, "  {sentence}");
    }
    let symbols: Vec<&str> = content.lines().filter_map(symbol).take(SYMBOLS_MAX).collect();
    if !symbols.is_empty() {
        let _ = writeln!(part, "  {}", symbols.join(", "));
    }
}

/// The first sentence of the first paragraph that is no heading.
fn first_sentence(content: &str) -> Option<String> {
    let line = content
        .lines()
        .map(|line| line.trim().trim_start_matches(['/', '!', '*', '-']).trim())
        .find(|line| !line.is_empty() && !line.starts_with('#') && symbol(line).is_none())?;
    let end = line.find(". ").map_or(line.len(), |end| end + 1);
    Some(line[..end].to_owned())
}

/// The name of the symbol that a line declares.
fn symbol(line: &str) -> Option<&str> {
    let mut rest = line.trim();
    while let Some(after) = MODIFIERS.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = after;
    }
    let name = SYMBOL_WORDS.iter().find_map(|word| rest.strip_prefix(word))?;
    let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let name = &name[..end.unwrap_or(name.len())];
    (!name.is_empty()).then_some(name)
}
