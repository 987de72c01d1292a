//! What is searched for in a text: tokens that follow each other.

use super::token::tokens;

/// A word or a phrase: tokens that stand next to each other in this order. The last may be only the beginning of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    tokens: Vec<String>,
    is_prefix: bool,
}

impl Term {
    /// Reads a word or a phrase. With `is_prefix`, more letters may follow its last word. Returns `None` for a text
    /// without a word.
    pub fn new(text: &str, is_prefix: bool) -> Option<Self> {
        let tokens: Vec<String> = tokens(text).map(|token| token.token).collect();
        (!tokens.is_empty()).then_some(Self { tokens, is_prefix })
    }

    /// Returns the tokens, of which there is at least one.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// True if the last token may be the beginning of one.
    pub const fn is_prefix(&self) -> bool {
        self.is_prefix
    }

    /// True if the term is in a text with these tokens.
    pub(crate) fn is_in<T: AsRef<str>>(&self, text: &[T]) -> bool {
        text.windows(self.tokens.len()).any(|place| self.is_at(place))
    }

    /// True if the tokens at the start of `place` are those of the term.
    pub(super) fn is_at<T: AsRef<str>>(&self, place: &[T]) -> bool {
        let last = self.tokens.len() - 1;
        place.len() > last
            && self.tokens.iter().zip(place).enumerate().all(|(number, (wanted, found))| {
                let found = found.as_ref();
                if number == last && self.is_prefix {
                    found.starts_with(wanted.as_str())
                } else {
                    found == wanted
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, term: &str, is_prefix: bool, expected: bool) {
        let found: Vec<String> = tokens(text).map(|token| token.token).collect();
        let term = Term::new(term, is_prefix).unwrap();
        assert_eq!(term.is_in(&found), expected, "{term:?} in {text:?}");
    }

    #[test]
    fn a_term_is_found_where_its_tokens_follow_each_other() {
        check("the run_index of all", "index", false, true);
        check("the run_index of all", "run_index", false, true);
        check("the run index of all", "Run-Index", false, true);
        check("the run_index of all", "ind", false, false);
        check("the run_index of all", "ind", true, true);
        check("the run_index of all", "run ind", true, true);
        check("the run_index of all", "ru index", true, false);
        check("the run_index of all", "index run", false, false);
        check("run a index", "run index", false, false);
        check("short", "short and long", false, false);
        assert_eq!(Term::new(" - ", true), None);
    }
}
