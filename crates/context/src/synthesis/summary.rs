//! A summary without a model, from the form of a text alone. Pure.
//!
//! It keeps the headings, the first sentence and the names of symbols of each piece, each at most a line. What does not
//! fit is described in less detail, and then only counted: every line is complete, however many pieces there are.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::PolicyInput;
use crate::bounds::SUMMARY_BYTES_MIN;

/// Keywords before the name of a symbol, in the languages that agents mostly write about.
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

/// Modifiers that stand before those keywords.
const MODIFIERS: [&str; 7] =
    ["pub(crate) ", "pub ", "export ", "async ", "default ", "abstract ", "static "];

/// Maximum number of symbol names of one piece that are listed.
const SYMBOLS_MAX: usize = 24;

/// Minimum number of bytes of a piece; below it, a cut text says less than one line about each.
const SHARE_MIN: usize = 200; // tidy: number of bytes in two lines of a terminal

/// Bytes reserved for the note about what a shortened piece leaves out.
const LEFT_OUT_BYTES: usize = 32;

/// Maximum size of a sentence in a line of an outline.
const LINE_BYTES: usize = 160; // tidy: number of bytes in two lines of a terminal

/// Minimum size of a line of an outline: a name and a line break.
const LINE_BYTES_MIN: usize = 2;

/// Bytes reserved for the note that counts what an outline leaves out. Every summary has room for it.
const COUNTS_BYTES: usize = 256; // tidy: number of bytes in three lines of a terminal
const _: () = assert!(COUNTS_BYTES as u64 == SUMMARY_BYTES_MIN);

/// Maximum number of file extensions that this note lists, and the maximum length of one.
const ENDINGS_MAX: usize = 8;
const ENDING_BYTES_MAX: usize = 12;

/// Fraction by which the number of lines is reduced in each step of the search: one part in this many.
const STEP: usize = 32;

/// Makes a summary of at most `bytes_max` bytes: every piece in some detail if that fits, otherwise one line each.
pub(super) fn summary(pieces: &[PolicyInput], bytes_max: usize) -> String {
    let mut text = String::new();
    for piece in pieces {
        let _ = writeln!(text, "{} ({})", piece.path, piece.frame_type);
        describe(&String::from_utf8_lossy(&piece.content), &mut text);
        if text.len() > bytes_max {
            return outline(pieces, bytes_max);
        }
    }
    text
}

/// Concatenates the pieces, each under a heading with its path, type and agent. If that takes more than `bytes_max`
/// bytes, each piece is cut to its share at the end of a sentence. If the share is too small to be useful, each piece
/// gets one line.
pub(super) fn concatenation(pieces: &[PolicyInput], bytes_max: usize) -> Vec<u8> {
    let headings: Vec<String> = pieces
        .iter()
        .map(|piece| format!("## {} ({}, {})\n\n", piece.path, piece.frame_type, piece.agent_id))
        .collect();
    // A line break ends each piece, and another separates it from the next.
    let around: usize = headings.iter().map(|heading| heading.len() + 2).sum();
    let lengths = || pieces.iter().map(|piece| piece.content.len());
    let whole = around + lengths().sum::<usize>() <= bytes_max;
    let share = if whole { usize::MAX } else { share(lengths(), bytes_max.saturating_sub(around)) };
    if share < SHARE_MIN {
        return outline(pieces, bytes_max).into_bytes();
    }
    let mut text = Vec::new();
    for (piece, heading) in pieces.iter().zip(headings) {
        if !text.is_empty() {
            text.push(b'\n');
        }
        text.extend_from_slice(heading.as_bytes());
        if piece.content.len() <= share {
            text.extend_from_slice(&piece.content);
        } else {
            text.extend_from_slice(
                shortened(&String::from_utf8_lossy(&piece.content), share).as_bytes(),
            );
        }
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
    }
    text
}

/// Returns the maximum size of each piece so that all together have at most `bytes_max` bytes. Short pieces leave their
/// unused share to the others.
fn share(lengths: impl Iterator<Item = usize>, bytes_max: usize) -> usize {
    let mut lengths: Vec<usize> = lengths.collect();
    lengths.sort_unstable();
    let (mut left, mut count) = (bytes_max, lengths.len());
    for length in lengths {
        // Sorted by length: once a piece exceeds an equal share of the rest, all later ones do as well.
        if length * count > left {
            break;
        }
        (left, count) = (left - length, count - 1);
    }
    left.checked_div(count).unwrap_or(left)
}

/// Returns the beginning of a text in at most `bytes_max` bytes, with a note of how much was left out.
fn shortened(text: &str, bytes_max: usize) -> String {
    let kept = whole_sentences(text, bytes_max.saturating_sub(LEFT_OUT_BYTES)).trim_end();
    format!("{kept}\n[{} bytes left out]\n", text.len() - kept.len())
}

/// Returns the complete sentences or lines at the beginning of a text that fit into `bytes_max` bytes, or complete
/// words if the first sentence does not fit.
fn whole_sentences(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let cut = &text[..text.floor_char_boundary(bytes_max)];
    let sentence = cut.rfind(". ").map(|end| end + 1).max(cut.rfind('\n'));
    let end = sentence.filter(|end| *end > 0).or_else(|| cut.rfind(' ')).unwrap_or(cut.len());
    &cut[..end]
}

/// Makes one line for each piece: its path and its first sentence. If there are too many, shows as many as fit, spread
/// evenly over all of them, and counts the others by file extension.
pub(super) fn outline(pieces: &[PolicyInput], bytes_max: usize) -> String {
    let lines: Vec<String> = pieces
        .iter()
        .map(|piece| {
            let content = String::from_utf8_lossy(&piece.content);
            match first_sentence(&content) {
                Some(sentence) => {
                    format!(
                        "{}: {}\n",
                        piece.path,
                        whole_sentences(&sentence, LINE_BYTES).trim_end()
                    )
                }
                None => format!("{}\n", piece.path),
            }
        })
        .collect();
    if lines.iter().map(String::len).sum::<usize>() <= bytes_max {
        return lines.concat();
    }
    let room = bytes_max.saturating_sub(COUNTS_BYTES);
    // Find the largest number of lines that fits. Fewer lines may happen to be longer ones, so search from above.
    let mut shown = lines.len().min(room / LINE_BYTES_MIN);
    let chosen = |shown: usize| (0..shown).map(move |place| place * pieces.len() / shown.max(1));
    while shown > 0 && chosen(shown).map(|place| lines[place].len()).sum::<usize>() > room {
        shown -= shown.div_ceil(STEP);
    }
    let mut is_shown = vec![false; pieces.len()];
    let mut text = String::new();
    for place in chosen(shown) {
        is_shown[place] = true;
        text.push_str(&lines[place]);
    }
    let left: Vec<&PolicyInput> = pieces
        .iter()
        .zip(&is_shown)
        .filter(|(_, shown)| !**shown)
        .map(|(piece, _)| piece)
        .collect();
    let note = counts(&left);
    if text.len() + note.len() <= bytes_max {
        text.push_str(&note);
    }
    text
}

/// Counts pieces by file extension.
fn counts(pieces: &[&PolicyInput]) -> String {
    let mut endings: BTreeMap<String, usize> = BTreeMap::new();
    for piece in pieces {
        let name = piece.path.name().map(|name| name.to_string()).unwrap_or_default();
        let ending = match name.rsplit_once('.') {
            Some((start, ending)) if !start.is_empty() && ending.len() <= ENDING_BYTES_MAX => {
                format!(".{ending}")
            }
            _ => "without an ending".to_owned(),
        };
        *endings.entry(ending).or_default() += 1;
    }
    let mut endings: Vec<(String, usize)> = endings.into_iter().collect();
    endings.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let named = endings.iter().take(ENDINGS_MAX);
    let mut parts: Vec<String> = named.map(|(ending, count)| format!("{count} {ending}")).collect();
    let others: usize = endings.iter().skip(ENDINGS_MAX).map(|(_, count)| count).sum();
    if others > 0 {
        parts.push(format!("{others} others"));
    }
    format!("[{} more frames are left out: {}]\n", pieces.len(), parts.join(", "))
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

/// Returns the first sentence of the first paragraph that is not a heading.
pub fn first_sentence(content: &str) -> Option<String> {
    let line = content
        .lines()
        .map(|line| line.trim().trim_start_matches(['/', '!', '*', '-']).trim())
        .find(|line| !line.is_empty() && !line.starts_with('#') && symbol(line).is_none())?;
    let end = line.find(". ").map_or(line.len(), |end| end + 1);
    Some(line[..end].to_owned())
}

/// Returns the name of the symbol that a line declares.
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
