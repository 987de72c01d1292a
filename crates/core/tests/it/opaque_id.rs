//! Opaque ids: one text per value, and nothing else parses.

use std::collections::HashSet;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use piton_core::canonical::encode;
use piton_core::port::fixed::SeededEntropy;
use piton_core::{
    AttemptId, BundleId, ChangeId, ContextId, Digest, DivergenceId, EventId, FileBytes, GapId,
    IdError, IdProblem, NodeId, ObservationId, OutputId, RunId, SessionId, TraceId,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Runs a generic check for every kind of id.
macro_rules! for_every_id {
    ($check:ident) => {
        $check::<SessionId>(SessionId::PREFIX, "sess", SessionId::from_bytes);
        $check::<RunId>(RunId::PREFIX, "run", RunId::from_bytes);
        $check::<NodeId>(NodeId::PREFIX, "node", NodeId::from_bytes);
        $check::<EventId>(EventId::PREFIX, "evt", EventId::from_bytes);
        $check::<AttemptId>(AttemptId::PREFIX, "attempt", AttemptId::from_bytes);
        $check::<OutputId>(OutputId::PREFIX, "out", OutputId::from_bytes);
        $check::<GapId>(GapId::PREFIX, "gap", GapId::from_bytes);
        $check::<ChangeId>(ChangeId::PREFIX, "change", ChangeId::from_bytes);
        $check::<ObservationId>(ObservationId::PREFIX, "obs", ObservationId::from_bytes);
        $check::<DivergenceId>(DivergenceId::PREFIX, "div", DivergenceId::from_bytes);
        $check::<TraceId>(TraceId::PREFIX, "trace", TraceId::from_bytes);
        $check::<ContextId>(ContextId::PREFIX, "ctx", ContextId::from_bytes);
        $check::<BundleId>(BundleId::PREFIX, "bundle", BundleId::from_bytes);
    };
}

trait Id: Copy + Eq + Debug + Display + FromStr<Err = IdError> + Serialize + DeserializeOwned {}
impl<T> Id for T where
    T: Copy + Eq + Debug + Display + FromStr<Err = IdError> + Serialize + DeserializeOwned
{
}

// shows: WR-018
#[test]
fn every_kind_has_its_prefix_and_refuses_every_other_text() {
    fn check<T: Id>(prefix: &str, expected_prefix: &str, from_bytes: fn([u8; 16]) -> T) {
        assert_eq!(prefix, expected_prefix);
        let id = from_bytes([0x5a; 16]);
        let text = format!("{prefix}_2tb9d5mpjtb9d5mpjtb9d5mpjt");
        assert_eq!(id.to_string(), text);
        assert_eq!(format!("{id:?}"), text);
        assert_eq!(text.parse(), Ok(id));
        assert_eq!(encode(&id).unwrap().as_str(), format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<T>(&format!("\"{text}\"")).unwrap(), id);

        let body = &text[prefix.len() + 1..];
        for wrong in [
            String::new(),
            prefix.to_owned(),
            body.to_owned(),
            format!("{prefix}{body}"),
            format!("{prefix}-{body}"),
            format!("x{text}"),
            format!("{prefix}s_{body}"),
            text.to_uppercase(),
            format!("{prefix}_{}", body.to_uppercase()),
            text[..text.len() - 1].to_owned(),
            format!("{text}0"),
            format!(" {text}"),
            format!("{text}\n"),
            format!("{prefix}_8{}", &body[1..]),
            format!("{prefix}_z{}", &body[1..]),
            format!("{prefix}_2i{}", &body[2..]),
            format!("{prefix}_2l{}", &body[2..]),
            format!("{prefix}_2o{}", &body[2..]),
            format!("{prefix}_2u{}", &body[2..]),
            format!("{prefix}_2é{}", &body[3..]),
        ] {
            assert!(wrong.parse::<T>().is_err(), "{wrong}");
            assert!(serde_json::from_value::<T>(wrong.clone().into()).is_err());
        }
        assert!(serde_json::from_str::<T>("7").is_err());
    }
    for_every_id!(check);
}

// shows: WR-018
#[test]
fn the_error_says_which_kind_was_wanted_and_what_is_wrong() {
    let error = "run_2tb9d5mpjtb9d5mpjtb9d5mpjt".parse::<SessionId>();
    let error = error.unwrap_err();
    assert_eq!(error.problem, IdProblem::Prefix { expected: "sess" });
    assert_eq!(error.to_string(), "not a valid SessionId: it does not start with `sess_`");
    let problem = |text: &str| text.parse::<RunId>().unwrap_err().problem;
    assert_eq!(problem("run_0"), IdProblem::Length { expected: 26 });
    assert_eq!(problem("run_80000000000000000000000000"), IdProblem::Overflow);
    assert!(matches!(problem("run_0000000000000000000000000O"), IdProblem::Character { .. }));
}

#[test]
fn the_text_is_big_endian_so_that_it_orders_like_the_bytes() {
    for (bytes, body) in [
        ([0x00; 16], "00000000000000000000000000"),
        ([0xff; 16], "7zzzzzzzzzzzzzzzzzzzzzzzzz"),
        (1_u128.to_be_bytes(), "00000000000000000000000001"),
        (32_u128.to_be_bytes(), "00000000000000000000000010"),
        ((1_u128 << 127).to_be_bytes(), "40000000000000000000000000"),
    ] {
        assert_eq!(RunId::from_bytes(bytes).to_string(), format!("run_{body}"));
    }
}

proptest! {
    #[test]
    fn text_and_value_are_a_bijection(left in any::<[u8; 16]>(), right in any::<[u8; 16]>()) {
        let (left, right) = (NodeId::from_bytes(left), NodeId::from_bytes(right));
        prop_assert_eq!(left.to_string().parse(), Ok(left));
        prop_assert_eq!(left.cmp(&right), left.to_string().cmp(&right.to_string()));
    }

    #[test]
    fn a_body_that_parses_is_the_text_of_its_value(body in "[0-9a-z]{26}") {
        let text = format!("evt_{body}");
        if let Ok(id) = text.parse::<EventId>() {
            prop_assert_eq!(id.to_string(), text);
        } else {
            prop_assert!(body.contains(['i', 'l', 'o', 'u']) || body.as_bytes()[0] > b'7');
        }
    }
}

#[test]
fn minted_ids_come_from_the_entropy_and_differ() {
    let (first, second) = (SeededEntropy::new(7), SeededEntropy::new(7));
    let minted: Vec<_> = (0..1000).map(|_| SessionId::mint(&first)).collect();
    let again: Vec<_> = (0..1000).map(|_| SessionId::mint(&second)).collect();
    assert_eq!(minted, again);
    assert_eq!(minted.iter().collect::<HashSet<_>>().len(), 1000);
    assert_ne!(SessionId::mint(&SeededEntropy::new(8)), minted[0]);
}

#[test]
fn a_derived_id_is_the_start_of_its_digest() {
    let digest = Digest::of(&FileBytes(b"abc"));
    let id = SessionId::from_digest(&digest);
    assert_eq!(id.as_bytes(), &digest.as_bytes()[..16]);
    assert_eq!(SessionId::try_from(id.to_string().as_str()), Ok(id));
}
