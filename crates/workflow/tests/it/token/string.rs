//! Tokens as text: the outer form, and what is never shown.

use piton_workflow::bounds::TOKEN_BYTES_MAX;
use piton_workflow::{TokenKind, TokenString, TokenStringError};
use serde_json::json;

/// Base64url of 32 bytes of 0xff.
const SIGNATURE: &str = "__________________________________________8";

fn problem(text: &str) -> TokenStringError {
    let error = text.parse::<TokenString>().expect_err("it must be refused");
    let refused =
        serde_json::from_value::<TokenString>(json!(text)).expect_err("it must be refused");
    assert_eq!(refused.to_string(), error.to_string());
    error
}

// shows in part: WR-018 (the token)
#[test]
fn a_token_has_a_kind_a_payload_and_a_signature() {
    for (prefix, kind) in
        [("st", TokenKind::State), ("ack", TokenKind::Ack), ("chk", TokenKind::Checkpoint)]
    {
        let text = format!("{prefix}.v1.eyJhIjoxfQ.{SIGNATURE}");
        let token: TokenString = text.parse().unwrap();
        assert_eq!(token.kind(), kind);
        assert_eq!(kind.prefix(), prefix);
        assert_eq!(token.payload(), "eyJhIjoxfQ");
        assert_eq!(token.signature(), SIGNATURE);
        assert_eq!(token.as_str(), text);
        assert_eq!(serde_json::to_value(&token).unwrap(), json!(text));
        assert_eq!(serde_json::from_value::<TokenString>(json!(text)).unwrap(), token);
    }
}

// shows in part: WR-018 (the token)
#[test]
fn a_text_of_another_form_is_refused() {
    use TokenStringError::{Form, Kind, Payload, Signature, UnsupportedVersion};
    for (form, expected) in [
        ("", Kind),
        ("st", Kind),
        ("st1", Kind),
        ("ST.v1.e30.SIG", Kind),
        (" st.v1.e30.SIG", Kind),
        ("state.v1.e30.SIG", Kind),
        (".v1.e30.SIG", Kind),
        ("st.v1", Form),
        ("st.v1.e30", Form),
        ("st.v1.e30.SIG.SIG", Form),
        ("st.v1.e30.SIG.", Form),
        ("st..e30.SIG", Form),
        ("st.1.e30.SIG", Form),
        ("st.v.e30.SIG", Form),
        ("st.V1.e30.SIG", Form),
        ("st.v2.e30.SIG", UnsupportedVersion),
        ("st.v01.e30.SIG", UnsupportedVersion),
        ("chk.v10.anything", UnsupportedVersion),
        ("ack.v2.one.two.three", UnsupportedVersion),
        ("st.v1..SIG", Payload),
        ("st.v1.e30=.SIG", Payload),
        ("st.v1.e+0/.SIG", Payload),
        ("st.v1.e 30.SIG", Payload),
        ("st.v1.e3é.SIG", Payload),
        ("st.v1.e30aa.SIG", Payload),
        ("st.v1.e3.SIG", Payload),
        ("st.v1.e31.SIG", Payload),
        ("st.v1.e30.", Signature),
        ("st.v1.e30.SIGA", Signature),
        ("st.v1.e30.SIG=", Signature),
        ("st.v1.e30.SIG\n", Signature),
        ("st.v1.e30.AAAA", Signature),
        ("st.v1.e30.__________________________________________9", Signature),
        ("st.v1.e30.__________________________________________+", Signature),
    ] {
        assert_eq!(problem(&form.replace("SIG", SIGNATURE)), expected, "{form}");
    }
    assert!(serde_json::from_value::<TokenString>(json!(7)).is_err());
}

#[test]
fn every_payload_that_some_bytes_have_is_accepted_in_one_writing_only() {
    let signed = |payload: &str| format!("st.v1.{payload}.{SIGNATURE}").parse::<TokenString>();
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let accepted = |start: &str| {
        let texts = alphabet.chars().map(|last| format!("{start}{last}"));
        texts.filter(|text| signed(text).is_ok()).count()
    };
    // The last character of one byte holds two of its bits, of two bytes four, of three bytes six.
    assert_eq!(accepted(""), 0);
    assert_eq!(accepted("A"), 4);
    assert_eq!(accepted("AA"), 16);
    assert_eq!(accepted("AAA"), 64);
    assert_eq!(accepted("AAAA"), 0);
}

#[test]
fn a_token_is_bounded_in_length() {
    let of_length = |bytes: usize| {
        let payload = "A".repeat(bytes - "st.v1..".len() - SIGNATURE.len());
        format!("st.v1.{payload}.{SIGNATURE}")
    };
    assert!(of_length(TOKEN_BYTES_MAX).parse::<TokenString>().is_ok());
    assert_eq!(problem(&of_length(TOKEN_BYTES_MAX + 1)), TokenStringError::TooLong);
}

#[test]
fn neither_a_token_nor_its_error_shows_the_signature() {
    let text = format!("st.v1.e30.{SIGNATURE}");
    let token: TokenString = text.parse().unwrap();
    assert_eq!(format!("{token:?}"), "st.v1.e30.…");
    assert_eq!(format!("{:?}", Some(token)), "Some(st.v1.e30.…)");
    let error = problem(&format!("{text}A"));
    assert!(!format!("{error} {error:?}").contains("____"));
}
