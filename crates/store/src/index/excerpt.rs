//! The part of a text that shows why it matches.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::term::Term;
use super::token::{TextToken, tokens};
use crate::bounds::INDEX_EXCERPT_BYTES_MAX;

/// A part of a text in pieces, some of which match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Excerpt {
    pub pieces: Vec<ExcerptPiece>,
    /// Set when text before the first piece is left out.
    pub is_cut_before: bool,
    /// Set when text after the last piece is left out.
    pub is_cut_after: bool,
}

/// A piece of an excerpt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExcerptPiece {
    pub text: String,
    /// Set when this is what was searched for.
    pub is_match: bool,
}

impl Excerpt {
    /// Returns the part of `text` around the first match of any term. `None` if no term is in it.
    pub(crate) fn of(text: &str, terms: &[&Term]) -> Option<Self> {
        let tokens: Vec<TextToken> = tokens(text).collect();
        let folded: Vec<&str> = tokens.iter().map(|token| token.token.as_str()).collect();
        let mut matches: Vec<Range<usize>> = Vec::new();
        for place in 0..tokens.len() {
            for term in terms.iter().filter(|term| term.is_at(&folded[place..])) {
                let last = place + term.tokens().len() - 1;
                matches.push(tokens[place].word.start..tokens[last].word.end);
            }
        }
        let first = matches.first()?.start;
        // A third of the room is for what leads to the match, from the beginning of a word.
        let start = text.floor_char_boundary(first.saturating_sub(INDEX_EXCERPT_BYTES_MAX / 3));
        let start = match tokens.iter().find(|token| token.word.start >= start) {
            Some(token) if start > 0 => token.word.start.min(first),
            _ => 0,
        };
        let end = text.floor_char_boundary((start + INDEX_EXCERPT_BYTES_MAX).min(text.len()));
        let mut pieces = Vec::new();
        let mut piece = |range: Range<usize>, is_match| {
            if !range.is_empty() {
                pieces.push(ExcerptPiece { text: text[range].to_owned(), is_match });
            }
        };
        let mut place = start;
        for found in matches {
            // Matches of several terms can overlap; a match that does not fit is cut.
            let found = found.start.max(place).min(end)..found.end.max(place).min(end);
            piece(place..found.start, false);
            place = found.end;
            piece(found, true);
        }
        piece(place..end, false);
        Some(Self { pieces, is_cut_before: start > 0, is_cut_after: end < text.len() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An excerpt as one text, with its matches in brackets.
    fn shown(text: &str, terms: &[&str]) -> Option<String> {
        let terms: Vec<Term> = terms.iter().filter_map(|term| Term::new(term, true)).collect();
        let excerpt = Excerpt::of(text, &terms.iter().collect::<Vec<_>>())?;
        let pieces = excerpt.pieces.iter().map(|piece| {
            let text = piece.text.as_str();
            if piece.is_match { format!("[{text}]") } else { text.to_owned() }
        });
        Some(pieces.collect())
    }

    #[test]
    fn an_excerpt_marks_what_was_searched_for() {
        assert_eq!(shown("Fix the Login", &["login"]).unwrap(), "Fix the [Login]");
        assert_eq!(shown("a run_index b", &["run index", "b"]).unwrap(), "a [run_index] [b]");
        assert_eq!(shown("a b c", &["a b", "b c"]).unwrap(), "[a b][ c]");
        assert_eq!(shown("nothing", &["login"]), None);
        assert_eq!(shown("nothing", &[]), None);
    }

    #[test]
    fn an_excerpt_of_a_long_text_begins_shortly_before_the_match() {
        let text = format!("{} login {}", "word ".repeat(200), "word ".repeat(200));
        let terms = [Term::new("login", false).unwrap()];
        let excerpt = Excerpt::of(&text, &[&terms[0]]).unwrap();
        assert!(excerpt.is_cut_before && excerpt.is_cut_after);
        let length: usize = excerpt.pieces.iter().map(|piece| piece.text.len()).sum();
        assert!(length <= INDEX_EXCERPT_BYTES_MAX);
        assert_eq!(excerpt.pieces[1].text, "login");
        assert!(excerpt.pieces[0].text.starts_with("word"));
    }

    proptest! {
        #[test]
        fn an_excerpt_is_a_part_of_the_text_and_bounded(
            text in any::<String>(),
            word in any::<String>(),
            copies in 1_usize..80,
        ) {
            let text = format!("{text} {word} ").repeat(copies);
            let Some(term) = Term::new(&word, false) else { return Ok(()) };
            let excerpt = Excerpt::of(&text, &[&term]).expect("the word is in the text");
            let shown: String = excerpt.pieces.iter().map(|piece| piece.text.as_str()).collect();
            prop_assert!(text.contains(&shown));
            prop_assert!(shown.len() <= INDEX_EXCERPT_BYTES_MAX);
            prop_assert!(excerpt.pieces.iter().any(|piece| piece.is_match));
            prop_assert_eq!(!excerpt.is_cut_before && !excerpt.is_cut_after, shown == text);
        }
    }
}
