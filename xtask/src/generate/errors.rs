//! The page of error codes: a section each, with what it means and what to do.

use std::fmt::Write;

use piton_core::{Code, Domain, Retry};

/// The page, in the order of the domains and of the codes within them.
pub(crate) fn page() -> String {
    let mut page = String::from(
        "# Errors\n\n\
         <!-- Written by `cargo xtask generate` from the codes in piton-core; edit them there. -->\n\n\
         Every failure carries a code. A code never changes its meaning.\n\
         \"Retry\" is the default: the place where it happened may know better.\n",
    );
    for domain in Domain::ALL {
        let _ = write!(page, "\n## {domain}\n");
        for code in Code::ALL.iter().filter(|code| code.domain() == *domain) {
            let _ = write!(
                page,
                "\n### {code}\n\n{}\n\n- **What to do:** {}\n- **Retry:** {}\n",
                code.meaning(),
                code.advice(),
                retry(code.retry()),
            );
        }
    }
    page
}

fn retry(retry: Retry) -> String {
    match retry {
        Retry::NotRetryable => "no, something has to change first".to_owned(),
        Retry::RetryableImmediate => "yes, at once".to_owned(),
        Retry::RetryableAfterMs { after_ms } => format!("yes, after {after_ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use piton_core::Code;

    use super::page;

    #[test]
    fn every_code_has_a_section_with_its_meaning_and_advice() {
        let page = page();
        for code in Code::ALL {
            assert!(page.contains(&format!("\n### {code}\n\n{}", code.meaning())), "{code}");
            assert!(page.contains(code.advice()), "{code}");
        }
    }
}
