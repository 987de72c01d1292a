//! The pages of error codes: one each, and an index.

use std::fmt::Write;

use piton_core::{Code, Domain};

/// What every page says of itself.
const NOTE: &str =
    "<!-- Written by `cargo xtask generate` from the codes in piton-core; edit them there. -->";

/// Every page with its name: the index, and one for each code.
pub(crate) fn pages() -> Vec<(String, String)> {
    let page = |code: &Code| (format!("{code}.md"), format!("{NOTE}\n\n{}", code.page()));
    std::iter::once(("README.md".to_owned(), index())).chain(Code::ALL.iter().map(page)).collect()
}

/// The index, in the order of the domains and of the codes within them.
fn index() -> String {
    let mut index = format!(
        "# Errors\n\n{NOTE}\n\n\
         Every failure carries a code. A code never changes its meaning.\n\
         `piton explain CODE` prints its page; an agent finds what to do in the failure itself.\n",
    );
    for domain in Domain::ALL {
        let _ = write!(
            index,
            "\n## {domain}\n\nFrom {}.\n\n| code | what happened |\n|---|---|\n",
            domain.words()
        );
        for code in Code::ALL.iter().filter(|code| code.domain() == *domain) {
            let _ = writeln!(index, "| [{code}]({code}.md) | {} |", code.meaning());
        }
    }
    index
}

#[cfg(test)]
mod tests {
    use piton_core::Code;

    use super::pages;

    #[test]
    fn every_code_has_a_page_and_a_line_in_the_index() {
        let pages = pages();
        let index = &pages[0].1;
        for code in Code::ALL {
            let (_, page) = pages.iter().find(|(name, _)| *name == format!("{code}.md")).unwrap();
            assert!(page.contains(code.meaning()) && page.contains(code.advice()), "{code}");
            let line = format!("| [{code}]({code}.md) | {} |", code.meaning());
            assert!(index.contains(&line), "{code}");
        }
        assert_eq!(pages.len(), Code::ALL.len() + 1);
    }
}
