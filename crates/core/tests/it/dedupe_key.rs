//! Dedupe keys: charset, length and layout.

use std::collections::HashMap;

use piton_core::canonical::encode;
use piton_core::{DedupeKey, Digest, FileBytes, IdProblem, NodeId, SessionId};
use serde_json::json;

fn problem(text: &str) -> IdProblem {
    let refused = text.parse::<DedupeKey>();
    refused.expect_err("it must be refused").problem
}

// shows: WR-026
#[test]
fn a_key_holds_lowercase_letters_digits_and_four_signs_only() {
    for byte in 0..=127_u8 {
        let text = format!("a{}", char::from(byte));
        let allowed = byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_:>-".contains(&byte);
        assert_eq!(text.parse::<DedupeKey>().is_ok(), allowed, "{text:?}");
        assert_eq!(serde_json::from_value::<DedupeKey>(json!(text)).is_ok(), allowed);
    }
    assert!(matches!(problem("ä"), IdProblem::Character { .. }));
    assert_eq!(problem(""), IdProblem::Empty);
}

// shows: WR-027
#[test]
fn a_key_has_at_most_256_characters() {
    assert!("a".repeat(256).parse::<DedupeKey>().is_ok());
    assert_eq!(problem(&"a".repeat(257)), IdProblem::TooLong { max_bytes: 256 });
    let error = DedupeKey::new("kind", &[&"a".repeat(252)]).unwrap_err();
    assert_eq!(error.problem, IdProblem::TooLong { max_bytes: 256 });
    assert!(DedupeKey::new("kind", &[&"a".repeat(251)]).is_ok());
}

// shows: WR-028
#[test]
fn a_key_is_its_kind_and_its_parts_joined_by_colons() {
    let session = SessionId::from_bytes([0; 16]);
    let (from, to) = (NodeId::from_bytes([0; 16]), NodeId::from_bytes([0xff; 16]));
    let key = DedupeKey::new("session_created", &[&session]).unwrap();
    assert_eq!(key.as_str(), "session_created:sess_00000000000000000000000000");
    let key = DedupeKey::new("edge_created", &[&session, &format_args!("{from}->{to}"), &7]);
    assert_eq!(
        key.unwrap().as_str(),
        "edge_created:sess_00000000000000000000000000:\
         node_00000000000000000000000000->node_7zzzzzzzzzzzzzzzzzzzzzzzzz:7"
    );
}

// shows: WR-028
#[test]
fn a_key_without_a_kind_or_with_an_empty_part_is_refused() {
    let problem = |kind: &str, parts: &[&dyn std::fmt::Display]| {
        DedupeKey::new(kind, parts).unwrap_err().problem
    };
    assert_eq!(problem("", &[&"a"]), IdProblem::Empty);
    assert_eq!(problem("kind", &[&"a", &"", &"b"]), IdProblem::Empty);
    assert!(matches!(problem("kind", &[]), IdProblem::Form { .. }));
    assert!(matches!(problem("a:b", &[&"c"]), IdProblem::Form { .. }));
    assert!(matches!(problem("kind", &[&"A"]), IdProblem::Character { .. }));
}

// shows: WR-016
#[test]
fn free_text_goes_into_a_key_as_its_digest() {
    let observed = "Free text, with Spaces and UPPERCASE";
    assert!(DedupeKey::new("observation_recorded", &[&observed]).is_err());
    let digest = Digest::of(&FileBytes(observed.as_bytes()));
    let key = DedupeKey::new("observation_recorded", &[&digest]).unwrap();
    assert_eq!(key.as_str(), format!("observation_recorded:{digest}"));
}

#[test]
fn a_map_of_keys_can_be_asked_by_text() {
    let key: DedupeKey = "a:b".parse().unwrap();
    let map = HashMap::from([(key.clone(), 1)]);
    assert_eq!(map.get("a:b"), Some(&1));
    assert_eq!(map.get("a:c"), None);
    assert_eq!(encode(&key).unwrap().as_str(), r#""a:b""#);
}
