//! The short form.

use piton_core::{Code, RunId, SessionId};
use piton_store::port::{BoxFuture, KeyAge, KeyRing, Signature};
use piton_workflow::bounds::{
    SHORT_TOKEN_ATTEMPT_MAX, SHORT_TOKEN_BYTES_MAX, SHORT_TOKEN_NODE_MAX,
};
use piton_workflow::token::{
    AckPayload, AnyToken, AttemptOrdinal, Error, FormatProblem, NodeOrdinal, Payload, SessionTail,
    ShortTokenError, TokenError, TokenOrdinals, verify_short,
};
use piton_workflow::{NodeAddress, ShortToken, TokenKind};
use proptest::prelude::*;

use super::golden::{SHORT_TOKENS, TOKENS};
use super::samples::{ack, address, keys, payloads, ready, short_of};

fn place(node: u32, attempt: u32) -> TokenOrdinals {
    TokenOrdinals { node: NodeOrdinal::new(node), attempt: AttemptOrdinal::new(attempt) }
}

fn short(payload: &Payload, keys: &dyn KeyRing) -> ShortToken {
    ready(short_of(payload, place(12, 3), keys)).unwrap().expect("the counts are small")
}

fn refused(token: &ShortToken, candidates: &[Payload], keys: &dyn KeyRing) -> TokenError {
    match ready(verify_short(token, candidates, keys)) {
        Err(Error::Token(error)) => error,
        other => panic!("{other:?}"),
    }
}

// The golden texts hold the first 80 bits of the signatures that another program made.
#[test]
fn the_text_of_each_short_token_is_fixed() {
    let keys = keys();
    for (payload, text) in payloads().iter().zip(SHORT_TOKENS) {
        let token = short(payload, &keys);
        assert_eq!(token.to_string(), text);
        assert_eq!(text.parse(), Ok(token));
        assert_eq!(token.kind(), payload.kind());
        assert_eq!(token.session(), SessionTail::of(address().session));
        assert!(address().session.to_string().ends_with(&token.session().to_string()));
        assert_eq!(token.node(), NodeOrdinal::new(12));
        let attempt = (payload.kind() != TokenKind::State).then_some(AttemptOrdinal::new(3));
        assert_eq!(token.attempt(), attempt);
    }
}

#[test]
fn a_text_of_another_form_is_refused() {
    use ShortTokenError::{Count, Form, Kind, Session, Signature, TooLong};
    const MAC: &str = "cbjt7br8ewh3tnbn";
    for (form, expected) in [
        ("", Kind),
        ("ak", Kind),
        ("ack-040g2081-12-3-MAC", Kind),
        ("AK-040g2081-12-3-MAC", Kind),
        (" ak-040g2081-12-3-MAC", Kind),
        ("-040g2081-12-3-MAC", Kind),
        ("ak-", Form),
        ("ak-040g2081-12-MAC", Form),
        ("ck-040g2081-12-MAC", Form),
        ("st-040g2081-12-3-MAC", Form),
        ("ak-040g2081-12-3-MAC-", Form),
        ("ak-040g2081--12-3-MAC", Form),
        ("ak-040g208-12-3-MAC", Session),
        ("ak-040g20811-12-3-MAC", Session),
        ("ak-040g208l-12-3-MAC", Session),
        ("ak-040G2081-12-3-MAC", Session),
        ("ak-040g2081-012-3-MAC", Count),
        ("ak-040g2081-+12-3-MAC", Count),
        ("ak-040g2081--3-MAC", Count),
        ("ak-040g2081-1a-3-MAC", Count),
        ("ak-040g2081-12-03-MAC", Count),
        ("ak-040g2081-1000000-3-MAC", Count),
        ("ak-040g2081-12-10000-MAC", Count),
        ("ak-040g2081-12-3-MACx", Signature),
        ("ak-040g2081-12-3-", Signature),
        ("ak-040g2081-12-3-cbjt7br8ewh3tnbu", Signature),
        ("ak-040g2081-12-3-CBJT7BR8EWH3TNBN", Signature),
        ("ak-040g2081-12-3-cbjt7br8ewh3tné", Signature),
        ("ak-040g2081-1000000-9999-MAC", TooLong),
    ] {
        let text = form.replace("MAC", MAC);
        assert_eq!(text.parse::<ShortToken>(), Err(expected), "{form}");
    }
}

#[test]
fn the_longest_short_token_has_forty_characters_and_what_does_not_fit_has_none() {
    let keys = keys();
    let of = |payload: &Payload, place| ready(short_of(payload, place, &keys)).unwrap();
    for payload in payloads() {
        let largest = place(SHORT_TOKEN_NODE_MAX, SHORT_TOKEN_ATTEMPT_MAX);
        let token = of(&payload, largest).unwrap();
        let text = token.to_string();
        let state = payload.kind() == TokenKind::State;
        assert_eq!(text.len(), if state { 35 } else { SHORT_TOKEN_BYTES_MAX });
        assert_eq!(text.parse(), Ok(token));
        assert_eq!(of(&payload, place(SHORT_TOKEN_NODE_MAX + 1, 0)), None);
        // A state token is for no attempt, so their number does not matter to it.
        assert_eq!(of(&payload, place(0, SHORT_TOKEN_ATTEMPT_MAX + 1)).is_some(), state);
    }
}

/// Tokens of runs in sessions whose ids end alike.
fn alike() -> [Payload; 3] {
    let of = |session: [u8; 16], run: u8| {
        let run = RunId::from_bytes([run; 16]);
        let address = NodeAddress { session: SessionId::from_bytes(session), run, ..address() };
        Payload::Ack(AckPayload { address, ..ack() })
    };
    let mut other = [1; 16];
    other[0] = 7;
    [of([1; 16], 2), of([1; 16], 9), of(other, 2)]
}

#[test]
fn several_candidates_are_settled_by_the_signature() {
    let keys = keys();
    let candidates = alike();
    for meant in candidates {
        let token = short(&meant, &keys);
        assert_eq!(ready(verify_short(&token, &candidates, &keys)).unwrap(), meant);
        let others: Vec<Payload> =
            candidates.into_iter().filter(|candidate| *candidate != meant).collect();
        assert_eq!(refused(&token, &others, &keys), TokenError::BadSignature);
    }
}

#[test]
fn a_short_token_is_valid_until_the_second_rotation() {
    let keys = keys();
    let candidates = alike();
    let token = short(&candidates[1], &keys);
    ready(keys.rotate()).unwrap();
    assert_eq!(ready(verify_short(&token, &candidates, &keys)).unwrap(), candidates[1]);
    let newer = short(&candidates[1], &keys);
    assert_ne!(newer, token, "the current key signs");
    ready(keys.rotate()).unwrap();
    assert_eq!(refused(&token, &candidates, &keys), TokenError::BadSignature);
    assert_eq!(ready(verify_short(&newer, &candidates, &keys)).unwrap(), candidates[1]);
}

#[test]
fn a_short_token_that_no_candidate_could_have_names_an_unknown_node() {
    let keys = keys();
    let token = short(&Payload::Ack(ack()), &keys);
    assert_eq!(refused(&token, &[], &keys), TokenError::UnknownNode);
    let [state, _, checkpoint] = payloads();
    let mut elsewhere = ack();
    elsewhere.address.session = SessionId::from_bytes([9; 16]);
    let others = [state, checkpoint, Payload::Ack(elsewhere)];
    assert_eq!(refused(&token, &others, &keys), TokenError::UnknownNode);
}

/// A key ring that answers by the run of the payload it is asked about.
struct Scripted(fn(u8) -> Result<Option<KeyAge>, piton_store::Error>);

impl KeyRing for Scripted {
    fn sign_all<'a>(
        &'a self,
        _: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<Vec<Signature>, piton_store::Error>> {
        panic!("nothing is to be signed")
    }

    fn verify<'a>(
        &'a self,
        message: &'a [u8],
        signature: &'a [u8],
    ) -> BoxFuture<'a, Result<Option<KeyAge>, piton_store::Error>> {
        assert_eq!(signature.len(), 10, "80 bits");
        let payload = Payload::decode(TokenKind::Ack, message).unwrap();
        let answer = (self.0)(payload.address().run.as_bytes()[0]);
        Box::pin(async move { answer })
    }

    fn rotate(&self) -> BoxFuture<'_, Result<(), piton_store::Error>> {
        panic!("nothing is to be rotated")
    }
}

#[test]
fn a_signature_of_the_current_key_comes_before_one_of_the_previous_key() {
    let candidates = alike();
    let token = short(&candidates[0], &keys());
    let both = Scripted(|run| Ok(Some(if run == 9 { KeyAge::Current } else { KeyAge::Previous })));
    assert_eq!(ready(verify_short(&token, &candidates, &both)).unwrap(), candidates[1]);
    let previous = Scripted(|_| Ok(Some(KeyAge::Previous)));
    assert_eq!(ready(verify_short(&token, &candidates, &previous)).unwrap(), candidates[0]);
}

#[test]
fn keys_that_cannot_be_read_are_an_error_of_the_store() {
    let candidates = alike();
    let token = short(&candidates[0], &keys());
    let damaged = Scripted(|_| Err(piton_store::Error::BadRequest { problem: "made up" }));
    let error = ready(verify_short(&token, &candidates, &damaged)).unwrap_err();
    assert!(matches!(error, Error::Store(_)), "{error}");
}

#[test]
fn a_changed_signature_settles_nothing() {
    let keys = keys();
    let payload = Payload::Ack(ack());
    let text = short(&payload, &keys).to_string();
    let (rest, mac) = text.rsplit_once('-').unwrap();
    for place in 0..mac.len() {
        let flipped = if &mac[place..=place] == "0" { "1" } else { "0" };
        let changed = format!("{rest}-{}{flipped}{}", &mac[..place], &mac[place + 1..]);
        let changed: ShortToken = changed.parse().unwrap();
        assert_eq!(refused(&changed, &[payload], &keys), TokenError::BadSignature);
    }
}

#[test]
fn a_caller_may_give_either_form() {
    for (long, short) in TOKENS.into_iter().zip(SHORT_TOKENS) {
        let long: AnyToken = long.parse().unwrap();
        let short: AnyToken = short.parse().unwrap();
        assert!(matches!(long, AnyToken::Long(_)) && matches!(short, AnyToken::Short(_)));
        assert_eq!(long.kind(), short.kind());
    }
    for (text, code) in [
        ("", Code::TokenInvalidFormat),
        ("amber-otter", Code::TokenInvalidFormat),
        ("ack.v2.e30.AAAA", Code::TokenUnsupportedVersion),
    ] {
        assert_eq!(text.parse::<AnyToken>().unwrap_err().code(), code, "{text}");
    }
    let label = "amber-otter".parse::<AnyToken>().unwrap_err();
    assert_eq!(label, FormatProblem::Short(ShortTokenError::Kind).into());
}

#[test]
fn the_signature_is_shown_where_it_is_asked_for_only() {
    let token: ShortToken = SHORT_TOKENS[1].parse().unwrap();
    assert_eq!(format!("{token:?}"), "ak-040g2081-12-3-…");
    assert_eq!(format!("{:?}", AnyToken::Short(token)), "Short(ak-040g2081-12-3-…)");
}

proptest! {
    #[test]
    fn a_short_token_that_is_written_and_read_is_the_same(
        text in "(st-[0-9a-hjkmnp-tv-z]{8}-(0|[1-9][0-9]{0,5})|(ak|ck)-[0-9a-hjkmnp-tv-z]{8}-(0|[1-9][0-9]{0,5})-(0|[1-9][0-9]{0,3}))-[0-9a-hjkmnp-tv-z]{16}",
    ) {
        let token: ShortToken = text.parse().unwrap();
        prop_assert_eq!(token.to_string(), text.as_str());
        prop_assert!(text.len() <= SHORT_TOKEN_BYTES_MAX);
    }

    #[test]
    fn only_the_text_that_is_written_is_read(text in "[a-z0-9-]{0,42}|(st|ak|ck)-[ -~é]{0,40}") {
        if let Ok(token) = text.parse::<ShortToken>() {
            prop_assert_eq!(token.to_string(), text);
        }
    }
}
