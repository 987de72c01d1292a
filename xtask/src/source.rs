//! Enough of Rust's lexical grammar to tell code from comments and literals.
//!
//! # Limitations
//! Nothing is parsed: checks on the result look for words, and a macro can still hide one.

/// The same text with comments and the insides of string and character literals turned to spaces.
/// Lines and columns (in characters) stay where they were.
pub(crate) fn mask(text: &str) -> String {
    let mut masker =
        Masker { input: text.chars().collect(), at: 0, output: String::with_capacity(text.len()) };
    while masker.at < masker.input.len() {
        masker.step();
    }
    masker.output
}

/// The 1-based line of a byte offset.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// Whether a character can be part of a Rust name.
pub(crate) fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Byte offsets where `word` stands alone, not inside a longer name.
pub(crate) fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(word).filter_map(move |(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + word.len()..].chars().next();
        let alone = !before.is_some_and(is_name) && !after.is_some_and(is_name);
        alone.then_some(start)
    })
}

struct Masker {
    input: Vec<char>,
    at: usize,
    output: String,
}

impl Masker {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.input.get(self.at + ahead).copied()
    }

    fn keep(&mut self, count: usize) {
        for _ in 0..count {
            if let Some(character) = self.peek(0) {
                self.output.push(character);
                self.at += 1;
            }
        }
    }

    fn blank(&mut self, count: usize) {
        for _ in 0..count {
            if let Some(character) = self.peek(0) {
                self.output.push(if character == '\n' { '\n' } else { ' ' });
                self.at += 1;
            }
        }
    }

    fn step(&mut self) {
        match (self.peek(0), self.peek(1)) {
            (Some('/'), Some('/')) => {
                while self.peek(0).is_some_and(|character| character != '\n') {
                    self.blank(1);
                }
            }
            (Some('/'), Some('*')) => self.block_comment(),
            (Some('"'), _) => self.string(),
            (Some('\''), _) => self.character_or_lifetime(),
            (Some('r'), Some('"' | '#')) => self.raw_string(),
            _ => self.keep(1),
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => {
                    depth += 1;
                    self.blank(2);
                }
                (Some('*'), Some('/')) => {
                    depth -= 1;
                    self.blank(2);
                    if depth == 0 {
                        return;
                    }
                }
                (Some(_), _) => self.blank(1),
                (None, _) => return,
            }
        }
    }

    fn string(&mut self) {
        self.keep(1);
        loop {
            match self.peek(0) {
                Some('\\') => self.blank(2),
                Some('"') | None => return self.keep(1),
                Some(_) => self.blank(1),
            }
        }
    }

    fn raw_string(&mut self) {
        let mut fence = 0;
        while self.peek(1 + fence) == Some('#') {
            fence += 1;
        }
        let inside_a_name = self
            .output
            .chars()
            .next_back()
            .is_some_and(|before| is_name(before) && before != 'b' && before != 'c');
        if inside_a_name || self.peek(1 + fence) != Some('"') {
            return self.keep(1);
        }
        self.keep(2 + fence);
        while self.peek(0).is_some() {
            if self.peek(0) == Some('"') && (1..=fence).all(|ahead| self.peek(ahead) == Some('#')) {
                return self.keep(1 + fence);
            }
            self.blank(1);
        }
    }

    fn character_or_lifetime(&mut self) {
        let escaped = self.peek(1) == Some('\\');
        if !escaped && self.peek(2) != Some('\'') {
            return self.keep(1);
        }
        self.keep(1);
        self.blank(if escaped { 2 } else { 1 });
        while self.peek(0).is_some_and(|character| character != '\'') {
            self.blank(1);
        }
        self.keep(1);
    }
}

#[cfg(test)]
mod tests {
    use super::{line_of, mask, words};

    #[track_caller]
    fn check(input: &str, expected: &str) {
        assert_eq!(mask(input), expected);
        assert_eq!(mask(input).lines().count(), input.lines().count());
    }

    #[test]
    fn comments_are_blanked_and_lines_stay() {
        check("a // b\nc", "a     \nc");
        check("a /* b /* c */\n d */ e", "a             \n      e");
        check("//! todo!()\n", "           \n");
    }

    #[test]
    fn literals_keep_their_quotes_and_lose_their_insides() {
        check(r#"f("a\"b", x)"#, r#"f("    ", x)"#);
        check(r##"r#"a"b"# + br"c""##, r##"r#"   "# + br" ""##);
        check(r#"let for_ = "r";"#, r#"let for_ = " ";"#);
    }

    #[test]
    fn a_lifetime_is_no_character() {
        check("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}");
        check("('\"', '\\'', b'x')", "(' ', '  ', b' ')");
    }

    #[test]
    fn a_word_inside_a_longer_name_does_not_count() {
        let found: Vec<usize> = words("mod a; model; my_mod", "mod").collect();
        assert_eq!(found, [0]);
        assert_eq!(line_of("a\nb\nc", 4), 3);
    }
}
