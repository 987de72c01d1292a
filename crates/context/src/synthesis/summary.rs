//! A summary without a model: what can be told from the form of a text. Pure.
//!
//! Of each piece it keeps the headings, the first sentence and the names of symbols, each at most a line. What does not
//! fit is said in less detail, and then counted: every line is whole, however many pieces there are.

use std::{collections::BTreeMap, fmt::Write as _};

use super::PolicyInput;
use crate::bounds::SUMMARY_BYTES_MIN;

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

/// Bytes of a piece below which a cut text says less than one line about each.
const SHARE_MIN: usize = 200; // tidy: number of bytes in two lines of a terminal

/// Bytes of the note about what a shortened piece leaves out.
const LEFT_OUT_BYTES: usize = 32;

/// Bytes of a sentence in a line of an outline.
const LINE_BYTES: usize = 160; // tidy: number of bytes in two lines of a terminal

/// No line of an outline is shorter: a name, and a line break.
const LINE_BYTES_MIN: usize = 2;

/// Bytes of the note that counts what an outline leaves out. Every summary has room for it.
const COUNTS_BYTES: usize = 256; // tidy: number of bytes in three lines of a terminal
const _: () = assert!(COUNTS_BYTES as u64 == SUMMARY_BYTES_MIN);

/// How many endings of names that note tells apart, and how long one is.
const ENDINGS_MAX: usize = 8;
const ENDING_BYTES_MAX: usize = 12;

/// The number of lines is looked for in steps of one part in so many.
const STEP: usize = 32;

/// A summary of at most `bytes_max` bytes: every piece in some detail if that fits, else one line each.
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

/// Each piece whole under a heading with its path, type and agent. Where that takes more than `bytes_max` bytes, each is
/// cut to what is left for it at the end of a sentence; where that is too little to say something, each gets one line.
pub(super) fn concatenation(pieces: &[PolicyInput], bytes_max: usize) -> Vec<u8> {
    let headings: Vec<String> = pieces
        .iter()
        .map(|piece| format!("## {} ({}, {})\n\n", piece.path, piece.frame_type, piece.agent_id))
        .collect();
    // A line break ends each piece, and one separates it from the next.
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

/// The most bytes that each may have so that all together have at most `bytes_max`: short ones leave theirs to the others.
fn share(lengths: impl Iterator<Item = usize>, bytes_max: usize) -> usize {
    let mut lengths: Vec<usize> = lengths.collect();
    lengths.sort_unstable();
    let (mut left, mut count) = (bytes_max, lengths.len());
    for length in lengths {
        if length * count > left {
            break;
        }
        (left, count) = (left - length, count - 1);
    }
    left.checked_div(count).unwrap_or(left)
}

/// The beginning of a text in at most `bytes_max` bytes, with how much was left out.
fn shortened(text: &str, bytes_max: usize) -> String {
    let kept = whole_sentences(text, bytes_max.saturating_sub(LEFT_OUT_BYTES)).trim_end();
    format!("{kept}\n[{} bytes left out]\n", text.len() - kept.len())
}

/// The whole sentences or lines at the beginning of a text that have at most `bytes_max` bytes together; whole words, if
/// the first sentence has more.
fn whole_sentences(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let cut = &text[..text.floor_char_boundary(bytes_max)];
    let sentence = cut.rfind(". ").map(|end| end + 1).max(cut.rfind('\n'));
    let end = sentence.filter(|end| *end > 0).or_else(|| cut.rfind(' ')).unwrap_or(cut.len());
    &cut[..end]
}

/// One line for each piece: its path and its first sentence. Where there are too many, as many as fit are shown, evenly
/// over all of them, and the others are counted by the endings of their names.
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
    // The largest number of lines that fits; fewer lines may be longer ones, so it is looked for from above.
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

/// How many pieces there are, by the endings of their names.
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

/// The first sentence of the first paragraph that is no heading.
pub fn first_sentence(content: &str) -> Option<String> {
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
