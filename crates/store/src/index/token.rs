//! Tokens: the words of a text, as an index stores them.
//!
//! 1. A text is cut into *words*: the longest runs of letters, digits and combining marks. Everything else separates,
//!    also `_`, `-`, `.` and `/`. So `run_index` has the words `run` and `index`, and a search for `run_index` looks for
//!    the two in this order, next to each other ([`Term`](super::Term)).
//! 2. Each word is folded: Unicode's form NFKC, then the lower case of every character, then NFKC again, because the
//!    lower case of a few characters can be composed. Neither the language nor the end of a word matters.
//! 3. A folded word is one token, with two exceptions. Scripts that write no spaces (Chinese, Japanese, Thai, Lao,
//!    Khmer, Burmese) give a token for each character. A token has at most [`INDEX_TOKEN_BYTES_MAX`] bytes: a longer
//!    word gives several that follow each other, so that no part of it is lost.
//!
//! *Invariants*: a token is not empty, consists of letters, digits and combining marks, and gives itself when it is
//! split again. Tokens of a text do not depend on what stands beyond the separators around them.
//!
//! *Limitations*: words are not stemmed, accents count, and `ß` is not `ss`. `RunIndex` is one word.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::bounds::INDEX_TOKEN_BYTES_MAX;

/// A token, and the word that it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextToken {
    pub token: String,
    /// Bytes of the word in the text.
    pub word: Range<usize>,
}

/// Splits a text into tokens, in order.
pub fn tokens(text: &str) -> impl Iterator<Item = TextToken> + '_ {
    words(text).flat_map(|word| {
        let pieces = fold(&text[word.clone()]);
        pieces.into_iter().map(move |token| TextToken { token, word: word.clone() })
    })
}

/// Iterates over the words of a text.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = rest.find(|(_, character)| is_in_word(*character))?;
        let mut end = start + first.len_utf8();
        while let Some((place, character)) = rest.next_if(|(_, character)| is_in_word(*character)) {
            end = place + character.len_utf8();
        }
        Some(start..end)
    })
}

/// True for a character that belongs to a word, before the text is folded.
fn is_in_word(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric();
    }
    // Some symbols stand for letters, such as `℀` for `a/c`.
    is_in_token(character) || character.nfkc().any(char::is_alphanumeric)
}

/// True for a character that belongs to a token.
fn is_in_token(character: char) -> bool {
    character.is_alphanumeric() || is_combining_mark(character)
}

/// Returns the tokens of one word.
fn fold(word: &str) -> Vec<String> {
    // Most words are ASCII, which has no compatibility forms.
    if word.is_ascii() && word.len() <= INDEX_TOKEN_BYTES_MAX {
        return vec![word.to_ascii_lowercase()];
    }
    let folded: String = word.nfkc().flat_map(char::to_lowercase).nfkc().collect();
    let mut tokens: Vec<String> = Vec::new();
    // Folding can bring separators, as in `℀`.
    for part in folded.split(|character| !is_in_token(character)) {
        let mut token = String::new();
        let mut alone = false;
        for character in part.chars() {
            // A mark belongs to the character before it.
            let is_alone =
                if is_combining_mark(character) { alone } else { stands_alone(character) };
            let joins = if is_combining_mark(character) { true } else { !is_alone && !alone };
            if !token.is_empty()
                && (!joins || token.len() + character.len_utf8() > INDEX_TOKEN_BYTES_MAX)
            {
                tokens.push(std::mem::take(&mut token));
            }
            token.push(character);
            alone = is_alone;
        }
        tokens.push(token);
    }
    // Marks without a letter say nothing.
    tokens.retain(|token| token.chars().any(char::is_alphanumeric));
    tokens
}

/// True for a character of a script that writes no spaces between words.
const fn stands_alone(character: char) -> bool {
    matches!(character,
        '\u{0e00}'..='\u{0eff}'       // Thai, Lao
        | '\u{1000}'..='\u{109f}'     // Burmese
        | '\u{1780}'..='\u{17ff}'     // Khmer
        | '\u{2e80}'..='\u{2fdf}'     // radicals
        | '\u{3005}'..='\u{30ff}'     // Hiragana, Katakana
        | '\u{3100}'..='\u{312f}'     // Bopomofo
        | '\u{31f0}'..='\u{31ff}'     // Katakana, further
        | '\u{3400}'..='\u{9fff}'     // Han
        | '\u{f900}'..='\u{faff}'     // Han, compatibility
        | '\u{20000}'..='\u{3ffff}') // Han, further
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = tokens(text).map(|token| token.token).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn a_text_is_split_into_words_and_folded() {
        check("", &[]);
        check("... --- !", &[]);
        check("Fix the Login", &["fix", "the", "login"]);
        check("run_index.rs", &["run", "index", "rs"]);
        check("crates/store-port v1.5 (10%)", &["crates", "store", "port", "v1", "5", "10"]);
        check("RunIndex", &["runindex"]);
        check("don't", &["don", "t"]);
        check("ＬＯＧＩＮ ﬁx ½ ℀", &["login", "fix", "1", "2", "a", "c"]);
        check("GRÜSSE Straße ΣΊΣΥΦΟΣ", &["grüsse", "straße", "σίσυφοσ"]);
        check("e\u{301}te\u{301} été", &["été", "été"]);
        check("İstanbul", &["i\u{307}stanbul"]);
        check("“quoted”—words", &["quoted", "words"]);
        check("登录 page", &["登", "录", "page"]);
        check("ログイン2", &["ロ", "グ", "イ", "ン", "2"]);
        check("\u{301}", &[]);
    }

    #[test]
    fn a_word_that_is_too_long_gives_several_tokens() {
        let long = "ab".repeat(INDEX_TOKEN_BYTES_MAX);
        let found: Vec<String> = tokens(&long).map(|token| token.token).collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found.concat(), long);
    }

    proptest! {
        #[test]
        fn a_token_is_bounded_folded_and_gives_itself(text in any::<String>()) {
            let mut end = 0;
            for TextToken { token, word } in tokens(&text) {
                prop_assert!(!token.is_empty());
                // One character with its marks may be longer than any word of letters.
                prop_assert!(token.len() <= INDEX_TOKEN_BYTES_MAX);
                prop_assert!(token.chars().all(is_in_token), "{token:?}");
                prop_assert!(text.get(word.clone()).is_some());
                prop_assert!(end <= word.start || word.end == end, "words are in order");
                end = word.end;
                let again: Vec<String> = tokens(&token).map(|again| again.token).collect();
                prop_assert_eq!(again, vec![token]);
            }
        }

        #[test]
        fn what_stands_beyond_a_separator_does_not_matter(
            texts in prop::collection::vec(any::<String>(), 0..4),
            separator in prop::sample::select(vec![" ", "\n", "_", "-", ".", "/", ", "]),
        ) {
            let whole: Vec<String> =
                tokens(&texts.join(separator)).map(|token| token.token).collect();
            let parts: Vec<String> =
                texts.iter().flat_map(|text| tokens(text)).map(|token| token.token).collect();
            prop_assert_eq!(whole, parts);
        }

        #[test]
        fn case_and_compatibility_forms_do_not_matter(text in "[a-zA-Z0-9äöüÄÖÜéÉσΣ_ .]{0,40}") {
            let of = |text: &str| tokens(text).map(|token| token.token).collect::<Vec<_>>();
            let upper: String = text.chars().flat_map(char::to_uppercase).collect();
            let decomposed: String = text.nfkd().collect();
            prop_assert_eq!(of(&upper), of(&text));
            prop_assert_eq!(of(&decomposed), of(&text));
        }
    }
}
