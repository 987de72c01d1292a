//! Tokens inside a text, for whoever shows it to somebody else than the agent.
//!
//! *Invariants*: every token that was ever issued is found, wherever it stands and in whatever case it was copied.
//!
//! *Limitations*: the grammar is wider than that of tokens, so a text that only looks like one is found too.

use std::ops::Range;

/// Beginnings of the long form, before its version.
const LONG: [&str; 3] = ["st", "ack", "chk"];
/// Beginnings of the short form.
const SHORT: [&str; 3] = ["st", "ak", "ck"];
/// Length of a signature in the long form.
const SIGNATURE_CHARACTERS: usize = 43;

/// Returns the places of everything in a text that may be a token, in order.
pub fn find_tokens(text: &str) -> Vec<Range<usize>> {
    let (bytes, mut found, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        // All beginnings have one of these letters first, and none of them is part of a longer character.
        let may_begin = matches!(bytes[at], b's' | b'a' | b'c' | b'S' | b'A' | b'C');
        let end = if may_begin { token_end(bytes, at) } else { None };
        if let Some(end) = end {
            found.push(at..end);
        }
        at = end.unwrap_or(at + 1);
    }
    found
}

fn token_end(bytes: &[u8], at: usize) -> Option<usize> {
    let after = |prefix: &&str| {
        let head = bytes.get(at..at + prefix.len())?;
        head.eq_ignore_ascii_case(prefix.as_bytes()).then_some(at + prefix.len())
    };
    let long = LONG.iter().filter_map(after).find_map(|at| long_end(bytes, at));
    long.or_else(|| SHORT.iter().filter_map(after).find_map(|at| short_end(bytes, at)))
}

/// Reads `.v1.<payload>.<signature>`. A longer signature is taken whole: nobody can tell where the token would end.
fn long_end(bytes: &[u8], at: usize) -> Option<usize> {
    let version = bytes.get(at..at + 4)?;
    if !version.eq_ignore_ascii_case(b".v1.") {
        return None;
    }
    let payload = span(bytes, at + 4, is_base64)?;
    let signature = literal(bytes, payload, b'.')?;
    let end = span(bytes, signature, is_base64)?;
    (end - signature >= SIGNATURE_CHARACTERS).then_some(end)
}

/// Reads `-<session>-<node>[-<attempt>]-<signature>`.
fn short_end(bytes: &[u8], at: usize) -> Option<usize> {
    let session = exactly(bytes, literal(bytes, at, b'-')?, 8)?;
    let node = span(bytes, literal(bytes, session, b'-')?, |byte| byte.is_ascii_digit())?;
    let signature = |at: usize| exactly(bytes, literal(bytes, at, b'-')?, 16);
    let attempt = || {
        let attempt = span(bytes, literal(bytes, node, b'-')?, |byte| byte.is_ascii_digit())?;
        signature(attempt)
    };
    attempt().or_else(|| signature(node))
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn literal(bytes: &[u8], at: usize, expected: u8) -> Option<usize> {
    (bytes.get(at) == Some(&expected)).then_some(at + 1)
}

/// Returns the end of as many bytes as fit, at least one.
fn span(bytes: &[u8], at: usize, fits: impl Fn(u8) -> bool) -> Option<usize> {
    let count = bytes.get(at..)?.iter().take_while(|byte| fits(**byte)).count();
    (count > 0).then_some(at + count)
}

fn exactly(bytes: &[u8], at: usize, count: usize) -> Option<usize> {
    let end = at.checked_add(count)?;
    bytes.get(at..end)?.iter().all(u8::is_ascii_alphanumeric).then_some(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::find_tokens;
    use crate::token::{ShortToken, TokenString};

    #[test]
    fn what_only_begins_like_a_token_is_left_alone() {
        for text in
            ["", "st", "best-of", "ak-47", "st.v1.", "first-7h2kq9xd-3", "a st-art", "ack.v1.e30.A"]
        {
            assert!(find_tokens(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn several_tokens_of_one_text_are_found_in_order() {
        let (short, state) = ("ak-7h2kq9xd-3-0-m3v8c2nq5wp1d6x0", "st-7h2kq9xd-3-m3v8c2nq5wp1d6x0");
        let text = format!("{{\"ackToken\":\"{short}\"}} and {state}. Ends");
        let found: Vec<&str> = find_tokens(&text).into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, [short, state]);
    }

    proptest! {
        // Grammars of their own, so that this test does not repeat the code above.
        #[test]
        fn every_token_is_found_in_every_text(
            before in "[^a-zA-Z0-9_.-]*",
            after in "(|[^a-zA-Z0-9_-].*)",
            short in "(st-[0-9a-hjkmnp-tv-z]{8}-[1-9][0-9]{0,4}|(ak|ck)-[0-9a-hjkmnp-tv-z]{8}-[1-9][0-9]{0,4}-[1-9][0-9]{0,2})-[0-9a-hjkmnp-tv-z]{16}",
            long in "(st|ack|chk)\\.v1\\.[A-Za-z0-9_-]{4,80}\\.[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]",
        ) {
            prop_assert!(short.parse::<ShortToken>().is_ok(), "{short}");
            // Some payloads have bits set that no encoder sets.
            let _ = long.parse::<TokenString>();
            for token in [short, long] {
                for token in [token.to_uppercase(), token] {
                    let text = format!("{before}{token}{after}");
                    let found = find_tokens(&text);
                    prop_assert!(found.contains(&(before.len()..before.len() + token.len())), "{text}: {found:?}");
                }
            }
        }

        #[test]
        fn any_text_is_read(text in ".*") {
            for at in find_tokens(&text) {
                prop_assert!(text.get(at).is_some(), "a place is between characters");
            }
        }
    }
}
