//! Error codes: closed, documented, and honest about retrying.

use std::collections::HashSet;
use std::fmt::Write as _;

use piton_core::{Code, Domain, Retry};

// shows: WR-487, WR-490, WR-491, WR-497
#[test]
fn the_codes_and_what_is_said_about_them() {
    let mut page = String::new();
    for code in Code::ALL {
        writeln!(page, "{code} ({}, {:?})", code.domain(), code.retry()).unwrap();
        writeln!(page, "  {}", code.meaning()).unwrap();
        writeln!(page, "  {}", code.advice()).unwrap();
    }
    insta::assert_snapshot!(page);
}

// shows: WR-487, WR-490, WR-491
#[test]
fn every_code_belongs_to_its_domain_and_has_a_meaning_and_an_advice_of_its_own() {
    let mut meanings = HashSet::new();
    for code in Code::ALL {
        let domain = code.domain().as_str().to_uppercase();
        assert!(code.as_str().starts_with(&format!("{domain}_")), "{code}");
        for text in [code.meaning(), code.advice()] {
            assert!(text.len() > 20 && text.ends_with('.'), "{code}: {text}");
        }
        assert_eq!(code.meaning().matches(". ").count(), 0, "{code}: one sentence");
        assert!(meanings.insert(code.meaning()), "{code}");
    }
    let used: HashSet<Domain> = Code::ALL.iter().map(|code| code.domain()).collect();
    assert_eq!(used.len(), Domain::ALL.len(), "every domain has a code");
}

// shows: WR-497
#[test]
fn a_condition_that_can_pass_by_itself_is_retryable_and_no_other_is() {
    for code in Code::ALL {
        let passes = matches!(
            code,
            Code::StoreIo
                | Code::StoreBusy
                | Code::StoreConflict
                | Code::SessionLocked
                | Code::TokenSessionLocked
                | Code::BackpackLocked
                | Code::ModelRateLimited
                | Code::ModelTimeout
                | Code::ModelBadAnswer
                | Code::ModelUnreachable
                | Code::ModelUnavailable
                | Code::WorkspaceBusy
                | Code::WorkspaceIo
        );
        assert_eq!(code.retry() != Retry::NotRetryable, passes, "{code}");
    }
}

// shows: WR-489, WR-496
#[test]
fn a_busy_lock_says_when_to_retry_and_what_to_do_if_that_does_not_help() {
    for code in [Code::SessionLocked, Code::TokenSessionLocked] {
        assert_eq!(code.retry(), Retry::RetryableAfterMs { after_ms: 1000 });
        assert!(code.advice().starts_with("Retry in one second"), "{}", code.advice());
    }
    let code = Code::SessionLocked;
    assert_eq!(
        code.advice(),
        "Retry in one second; if this persists, make sure that no other Piton process works on \
         the same session."
    );
}
