//! The page about a code, for people and agents that look one up.

use super::code::Code;
use super::envelope::Envelope;

impl Code {
    /// Returns the page about the code in Markdown: its meaning, the next action, the retry rule and an example.
    pub fn page(self) -> String {
        let domain = self.domain();
        let example = serde_json::to_string_pretty(&self.example());
        let example = example.expect("an envelope of plain texts has a JSON form");
        let others = Code::ALL.iter().filter(|other| other.domain() == domain && **other != self);
        let others: Vec<String> = others.map(|other| format!("`{other}`")).collect();
        let others = match others.as_slice() {
            [] => String::new(),
            others => format!("\nFrom the same part: {}.\n", others.join(", ")),
        };
        format!(
            "# {self}\n\n{}\n\n- **What to do:** {}\n- **Retry:** {}\n- **From:** {}\n\n\
             What a caller reads, unless the place where it happened knows better:\n\n```json\n{example}\n```\n{others}",
            self.meaning(),
            self.advice(),
            self.retry().words(),
            domain.words(),
        )
    }

    /// Returns an error with this code, as reported where nothing more specific is known.
    pub fn example(self) -> Envelope {
        Envelope::new(self, self.meaning())
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn every_page_says_what_happened_what_to_do_and_shows_a_real_envelope() {
        for code in Code::ALL {
            let page = code.page();
            assert!(page.starts_with(&format!("# {code}\n\n{}\n", code.meaning())), "{code}");
            assert!(page.contains(&format!("- **What to do:** {}\n", code.advice())), "{code}");
            let json = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next());
            let read: crate::Envelope = serde_json::from_str(json.unwrap()).unwrap();
            assert_eq!(read, code.example(), "{code}");
        }
    }

    #[test]
    fn every_code_is_said_in_whole_sentences_that_are_its_own() {
        let mut seen = std::collections::BTreeMap::new();
        for code in Code::ALL {
            for text in [code.meaning(), code.advice()] {
                assert!(text.ends_with('.') && text.len() > 20, "{code}: {text}");
                assert!(text.starts_with(char::is_uppercase), "{code}: {text}");
            }
            let other = seen.insert(code.meaning(), *code);
            assert_eq!(other, None, "{code} means the same");
        }
    }
}
