//! What tokens say, and the one way to write it.

use piton_core::{AttemptId, Code, Digest, NodeId, RunId, SessionId, WorkflowHash};
use piton_workflow::token::{
    AckPayload, CheckpointPayload, FormatProblem, Payload, StatePayload, TokenError,
};
use piton_workflow::{NodeAddress, TokenKind};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::golden::PAYLOADS;
use super::samples::{ack, address, checkpoint, payloads, state, workflow_hash};

fn decode(kind: TokenKind, text: &str) -> Result<Payload, TokenError> {
    Payload::decode(kind, text.as_bytes())
}

/// The canonical text of an object: `serde_json` keeps keys in order.
fn text(object: &Map<String, Value>) -> String {
    serde_json::to_string(object).unwrap()
}

fn object(payload: &Payload) -> Map<String, Value> {
    serde_json::from_slice(payload.encode().as_bytes()).unwrap()
}

// shows in part: WR-224, WR-225, WR-226, WR-227 (the token payloads)
// shows: WR-545 (with bundles_of_every_version_stay_readable_and_their_digests_stay_the_same)
#[test]
fn the_text_of_each_payload_is_fixed() {
    for (payload, text) in payloads().iter().zip(PAYLOADS) {
        assert_eq!(payload.encode().as_str(), text);
        assert_eq!(decode(payload.kind(), text), Ok(*payload));
        assert_eq!(payload.address(), address());
    }
}

// shows: WR-225, WR-226, WR-227
#[test]
fn a_payload_without_one_of_its_fields_is_refused() {
    for payload in payloads() {
        let whole = object(&payload);
        assert_eq!(whole.len(), 6);
        for field in whole.keys() {
            let mut object = whole.clone();
            object.remove(field);
            let refused = decode(payload.kind(), &text(&object));
            assert_eq!(refused, Err(FormatProblem::Payload.into()), "{field}");
            object.insert(field.clone(), Value::Null);
            let refused = decode(payload.kind(), &text(&object));
            assert_eq!(refused, Err(FormatProblem::Payload.into()), "{field} is null");
        }
    }
}

// shows: WR-224
#[test]
fn a_payload_with_another_field_is_refused() {
    for payload in payloads() {
        for (field, value) in [
            ("aExtra", json!(1)),
            ("timestampMs", json!(0)),
            ("workflowHash", json!(workflow_hash())),
            ("attemptId", json!(ack().attempt)),
            ("workflowHash", Value::Null),
            ("attemptId", Value::Null),
        ] {
            let mut object = object(&payload);
            if object.insert(field.to_owned(), value).is_none() {
                let code = decode(payload.kind(), &text(&object)).unwrap_err().code();
                assert_eq!(code, Code::TokenInvalidFormat, "{field}");
            }
        }
    }
}

// shows: WR-224
#[test]
fn a_payload_that_is_written_in_another_way_is_refused() {
    for (kind, text) in TokenKind::ALL.iter().copied().zip(PAYLOADS) {
        let array = {
            let object: Map<String, Value> = serde_json::from_str(text).unwrap();
            let field = |name: &str| object.get(name).cloned().unwrap_or_default();
            let names = ["tokenVersion", "tokenKind", "sessionId", "runId", "nodeId"];
            let last = ["workflowHash", "attemptId"];
            serde_json::to_string(
                &names.iter().chain(&last).map(|name| field(name)).collect::<Vec<_>>(),
            )
        };
        for other in [
            text.replacen(':', ": ", 1),
            format!(" {text}"),
            format!("{text}\n"),
            text.replacen("node_", "\\u006eode_", 1),
            text.replacen("\"tokenVersion\":1", "\"tokenVersion\":1.0", 1),
            text.replacen("\"tokenVersion\":1", "\"tokenVersion\":1,\"tokenVersion\":1", 1),
            {
                let (first, rest) = text[1..text.len() - 1].split_once(',').unwrap();
                format!("{{{rest},{first}}}")
            },
            array.unwrap(),
            text.replacen("sess_", "SESS_", 1),
            text[..text.len() - 1].to_owned(),
            "{}".to_owned(),
            "null".to_owned(),
            String::new(),
        ] {
            assert_ne!(other, text);
            let refused = decode(kind, &other).expect_err(&other);
            assert_eq!(refused.code(), Code::TokenInvalidFormat, "{other}");
        }
    }
    let not_text = Payload::decode(TokenKind::Ack, &[0xff, 0xfe]);
    assert_eq!(not_text, Err(FormatProblem::Payload.into()));
}

#[test]
fn a_payload_of_another_version_is_told_apart_whatever_else_it_holds() {
    for version in ["0", "2", "18446744073709551615"] {
        let new = format!("{{\"more\":[],\"tokenKind\":\"later\",\"tokenVersion\":{version}}}");
        assert_eq!(decode(TokenKind::State, &new), Err(TokenError::UnsupportedVersion));
    }
    for version in ["\"1\"", "-1", "1.5", "null", "true"] {
        let odd = PAYLOADS[0].replace("Version\":1", &format!("Version\":{version}"));
        assert_eq!(decode(TokenKind::State, &odd), Err(FormatProblem::Payload.into()));
    }
}

#[test]
fn a_payload_of_another_kind_than_its_text_begins_with_is_a_wrong_format() {
    for payload in payloads() {
        for prefix in TokenKind::ALL.iter().copied().filter(|kind| *kind != payload.kind()) {
            let refused = Payload::decode(prefix, payload.encode().as_bytes()).unwrap_err();
            assert_eq!(
                refused,
                FormatProblem::KindDiffers { prefix, payload: payload.kind() }.into()
            );
            assert_eq!(refused.code(), Code::TokenInvalidFormat);
        }
    }
}

#[test]
fn a_token_of_another_kind_than_its_place_asks_for_is_a_mismatch() {
    let [state_token, ack_token, checkpoint_token] = payloads();
    assert_eq!(state_token.into_state(), Ok(state()));
    assert_eq!(ack_token.into_ack(), Ok(ack()));
    assert_eq!(checkpoint_token.into_checkpoint(), Ok(checkpoint()));
    for (refused, wanted, found) in [
        (state_token.into_ack().err(), TokenKind::Ack, TokenKind::State),
        (state_token.into_checkpoint().err(), TokenKind::Checkpoint, TokenKind::State),
        (ack_token.into_state().err(), TokenKind::State, TokenKind::Ack),
        (ack_token.into_checkpoint().err(), TokenKind::Checkpoint, TokenKind::Ack),
        (checkpoint_token.into_state().err(), TokenKind::State, TokenKind::Checkpoint),
        (checkpoint_token.into_ack().err(), TokenKind::Ack, TokenKind::Checkpoint),
    ] {
        let expected = TokenError::ScopeMismatch { wanted, found };
        assert_eq!(refused, Some(expected));
    }
}

// shows: WR-242
#[test]
fn the_codec_knows_neither_keys_nor_ports() {
    let codec = [
        include_str!("../../../src/token/payload.rs"),
        include_str!("../../../src/token/string.rs"),
    ];
    for source in codec {
        for word in ["piton_store", "KeyRing", "hmac", "async", "sign::", "std::fs", "std::io"] {
            assert!(!source.contains(word), "{word}");
        }
    }
}

fn payload() -> impl Strategy<Value = Payload> {
    let bytes = any::<([u8; 16], [u8; 16], [u8; 16], [u8; 16], [u8; 32], u8)>();
    bytes.prop_map(|(session, run, node, attempt, hash, kind)| {
        let address = NodeAddress {
            session: SessionId::from_bytes(session),
            run: RunId::from_bytes(run),
            node: NodeId::from_bytes(node),
        };
        let attempt = AttemptId::from_bytes(attempt);
        let workflow_hash = WorkflowHash::new(Digest::from_bytes(hash));
        match kind % 3 {
            0 => Payload::State(StatePayload { address, workflow_hash }),
            1 => Payload::Ack(AckPayload { address, attempt }),
            _ => Payload::Checkpoint(CheckpointPayload { address, attempt }),
        }
    })
}

proptest! {
    // shows: WR-241 (with bytes_that_can_be_read_are_those_that_are_written)
    // shows in part: WR-550 (the token codec)
    #[test]
    fn a_payload_that_is_written_and_read_is_the_same(payload in payload()) {
        let bytes = payload.encode();
        prop_assert_eq!(Payload::decode(payload.kind(), bytes.as_bytes()), Ok(payload));
    }

    // shows in part: WR-241, WR-550 (the token codec)
    #[test]
    fn bytes_that_can_be_read_are_those_that_are_written(
        payload in payload(),
        at in any::<prop::sample::Index>(),
        byte in prop_oneof![any::<u8>(), Just(b' ')],
        is_added in any::<bool>(),
    ) {
        let mut bytes = payload.encode().into_vec();
        let at = at.index(bytes.len());
        if is_added {
            bytes.insert(at, byte);
        } else {
            bytes[at] = byte;
        }
        for kind in TokenKind::ALL {
            if let Ok(read) = Payload::decode(*kind, &bytes) {
                prop_assert_eq!(read.encode().into_vec(), bytes.clone());
            }
        }
    }

    #[test]
    fn reading_any_bytes_ends_without_a_panic(bytes in any::<Vec<u8>>()) {
        for kind in TokenKind::ALL {
            prop_assert!(Payload::decode(*kind, &bytes).is_err());
        }
    }
}
