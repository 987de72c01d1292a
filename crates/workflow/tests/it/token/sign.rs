//! The signed long form.

use std::sync::Arc;

use piton_core::port::fixed::SeededEntropy;
use piton_store::memory::MemoryKeyRing;
use piton_store::port::{BoxFuture, KeyAge, KeyRing, Signature};
use piton_workflow::token::{
    AckPayload, AttemptKind, AttemptOrdinal, Error, Payload, TokenError, attempt_id, verify,
};
use piton_workflow::{TokenKind, TokenString};

use super::golden::TOKENS;
use super::samples::{address, keys, mint, payloads, ready};

fn refused(token: &TokenString, keys: &dyn KeyRing) -> TokenError {
    match ready(verify(token, keys)) {
        Err(Error::Token(error)) => error,
        other => panic!("{other:?}"),
    }
}

// The golden tokens were signed by another program over the decoded payload alone.
// shows: WR-221, WR-222, WR-223, WR-228
#[test]
fn the_text_of_each_token_is_fixed() {
    let keys = keys();
    for (payload, text) in payloads().iter().zip(TOKENS) {
        let token = ready(mint(payload, &keys)).unwrap();
        assert_eq!(token.as_str(), text);
        assert_eq!(text.parse(), Ok(token.clone()));
        assert_eq!(token.kind(), payload.kind());
        assert_eq!(ready(verify(&token, &keys)).unwrap(), *payload);
    }
}

// shows: WR-228
#[test]
fn what_is_signed_is_the_decoded_payload_alone() {
    let keys = keys();
    for payload in payloads() {
        let token = ready(mint(&payload, &keys)).unwrap();
        assert_eq!(token.payload_bytes(), payload.encode().as_bytes());
        let alone = ready(keys.sign(&token.payload_bytes())).unwrap();
        let whole = ready(keys.sign(token.payload().as_bytes())).unwrap();
        assert_ne!(alone, whole);
        let text = token.as_str();
        let (rest, _) = text.rsplit_once('.').unwrap();
        let other = ready(mint(&payload, &MemoryKeyRing::new(Arc::new(SeededEntropy::new(7)))));
        assert!(other.unwrap().as_str().starts_with(rest), "only the signature depends on keys");
    }
}

// shows: WR-235
#[test]
fn a_token_is_valid_until_the_second_rotation() {
    let keys = keys();
    let payload = payloads()[1];
    let token = ready(mint(&payload, &keys)).unwrap();
    ready(keys.rotate()).unwrap();
    assert_eq!(ready(verify(&token, &keys)).unwrap(), payload);
    let newer = ready(mint(&payload, &keys)).unwrap();
    assert_ne!(newer, token, "the current key signs");
    ready(keys.rotate()).unwrap();
    assert_eq!(refused(&token, &keys), TokenError::BadSignature);
    assert_eq!(ready(verify(&newer, &keys)).unwrap(), payload);
}

#[test]
fn a_token_of_other_keys_or_with_a_changed_byte_is_refused() {
    let keys = keys();
    for payload in payloads() {
        let token = ready(mint(&payload, &keys)).unwrap();
        let none = MemoryKeyRing::new(Arc::new(SeededEntropy::new(7)));
        assert_eq!(refused(&token, &none), TokenError::BadSignature);
        ready(none.sign(b"now there is a key")).unwrap();
        assert_eq!(refused(&token, &none), TokenError::BadSignature);

        let text = token.as_str();
        for place in 0..text.len() {
            for replacement in ["A", "_", "."] {
                let changed = [&text[..place], replacement, &text[place + 1..]].concat();
                if changed != text
                    && let Ok(changed) = changed.parse()
                {
                    ready(verify(&changed, &keys)).expect_err("it was changed");
                }
            }
        }
    }
}

// shows: WR-240
#[test]
fn several_attempts_on_one_node_have_tokens_that_all_hold() {
    let keys = keys();
    let mut seen = Vec::new();
    for ordinal in 0..3 {
        let attempt = attempt_id(address(), AttemptKind::Ack, AttemptOrdinal::new(ordinal));
        let payload = Payload::Ack(AckPayload { address: address(), attempt });
        let token = ready(mint(&payload, &keys)).unwrap();
        assert!(!seen.contains(&token));
        seen.push(token);
    }
    for token in &seen {
        assert_eq!(ready(verify(token, &keys)).unwrap().address(), address());
    }
}

/// A key ring that must not be asked.
struct Untouched;

impl KeyRing for Untouched {
    fn sign_all<'a>(
        &'a self,
        _: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<Vec<Signature>, piton_store::Error>> {
        panic!("nothing is to be signed")
    }

    fn verify<'a>(
        &'a self,
        _: &'a [u8],
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<Option<KeyAge>, piton_store::Error>> {
        panic!("no signature is to be checked")
    }

    fn rotate(&self) -> BoxFuture<'_, Result<(), piton_store::Error>> {
        panic!("nothing is to be rotated")
    }
}

#[test]
fn a_payload_that_cannot_be_ours_is_refused_before_the_keys_are_asked() {
    let signature = "A".repeat(43);
    // `{}`, and `{"tokenVersion":2}`.
    let empty: TokenString = format!("ack.v1.e30.{signature}").parse().unwrap();
    assert!(matches!(refused(&empty, &Untouched), TokenError::InvalidFormat(_)));
    let newer = format!("st.v1.eyJ0b2tlblZlcnNpb24iOjJ9.{signature}").parse().unwrap();
    assert_eq!(refused(&newer, &Untouched), TokenError::UnsupportedVersion);
    let crossed: TokenString = TOKENS[0].replacen("st.", "ack.", 1).parse().unwrap();
    assert_eq!(crossed.kind(), TokenKind::Ack);
    assert!(matches!(refused(&crossed, &Untouched), TokenError::InvalidFormat(_)));
}
