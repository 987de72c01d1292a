//! Ids of authors: what is one and what is not.

use std::collections::HashMap;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use piton_core::canonical::encode;
use piton_core::{IdError, IdProblem};
use piton_workflow::bounds::NAME_BYTES_MAX;
use piton_workflow::{ConditionId, ContextKey, LoopId, StepId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

const REFUSED: [&str; 22] = [
    "",
    " ",
    "a b",
    " a",
    "a ",
    "a\n",
    "a/b",
    "a:b",
    "a::b",
    "a@0",
    "@",
    "/",
    ":",
    "A",
    "Triage",
    "featureFlags",
    "a.b",
    "a,b",
    "a>b",
    "é",
    "a\0",
    "\u{ff41}",
];

const ACCEPTED: [&str; 9] = ["a", "7", "-", "_", "--", "triage", "step-2_b", "0", "outer--inner"];

fn check<T>(kind: &'static str)
where
    T: FromStr<Err = IdError> + Display + Debug + Serialize + DeserializeOwned + Eq,
{
    for text in ACCEPTED {
        let id: T = text.parse().expect("it is valid");
        assert_eq!(id.to_string(), text);
        assert_eq!(format!("{id:?}"), text);
        assert_eq!(encode(&id).expect("it is valid").as_str(), format!("\"{text}\""));
        assert_eq!(serde_json::from_value::<T>(json!(text)).expect("it is valid"), id);
    }
    for text in REFUSED {
        let error = text.parse::<T>().expect_err("it must be refused");
        assert_eq!(error.kind, kind);
        let refused = serde_json::from_value::<T>(json!(text)).expect_err("it must be refused");
        assert_eq!(refused.to_string(), error.to_string());
    }
    for byte in 0..=0x7f_u8 {
        let text = format!("a{}", char::from(byte));
        let allowed = byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
        assert_eq!(text.parse::<T>().is_ok(), allowed, "{text:?}");
    }
    assert!("a".repeat(NAME_BYTES_MAX).parse::<T>().is_ok());
    let error = "a".repeat(NAME_BYTES_MAX + 1).parse::<T>().expect_err("it must be refused");
    assert_eq!(error.problem, IdProblem::TooLong { max_bytes: 128 });
    for other in [json!(null), json!(7), json!(true), json!(["a"])] {
        assert!(serde_json::from_value::<T>(other).is_err());
    }
}

// shows: WR-020 (with ids_that_are_not_safe_to_join_are_refused, ids_are_safe_to_join)
#[test]
fn step_and_loop_ids_hold_no_character_that_joins_ids() {
    check::<StepId>("StepId");
    check::<LoopId>("LoopId");
}

// shows: WR-021
#[test]
fn condition_ids_hold_no_character_that_joins_ids() {
    check::<ConditionId>("ConditionId");
}

// shows: WR-022
#[test]
fn context_keys_that_blockers_name_hold_no_character_that_joins_ids() {
    check::<ContextKey>("ContextKey");
}

#[test]
fn the_error_says_which_id_is_wrong_and_what_it_may_hold() {
    assert_eq!(
        "featureFlags".parse::<ContextKey>().unwrap_err().to_string(),
        "not a valid ContextKey: it may only hold a-z, 0-9, `_` and `-`"
    );
    assert_eq!(StepId::try_from("").unwrap_err().problem, IdProblem::Empty);
}

#[test]
fn a_map_of_ids_can_be_asked_by_text() {
    let map = HashMap::from([("triage".parse::<StepId>().unwrap(), 1)]);
    assert_eq!(map.get("triage"), Some(&1));
    assert_eq!(map.get("other"), None);
}
