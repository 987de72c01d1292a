//! Workflow ids and positions in a stream.

use piton_core::bounds::{INTEGER_MAX, WORKFLOW_ID_BYTES_MAX};
use piton_core::canonical::encode;
use piton_core::{EventIndex, IdProblem, ManifestIndex, WorkflowId};
use serde_json::json;

// shows: WR-017, WR-018
#[test]
fn a_workflow_id_is_a_namespace_and_a_name() {
    let id: WorkflowId = "piton.code-review_2".parse().unwrap();
    assert_eq!((id.namespace(), id.name()), ("piton", "code-review_2"));
    assert_eq!(id.as_str(), "piton.code-review_2");
    assert_eq!(encode(&id).unwrap().as_str(), r#""piton.code-review_2""#);
    assert_eq!(serde_json::from_value::<WorkflowId>(json!("a.b")).unwrap().name(), "b");
    assert!("a.b".parse::<WorkflowId>().is_ok());

    for wrong in [
        "", ".", "a", "a.", ".a", "a.b.c", "a..b", "A.b", "a.B", "1a.b", "a.1b", "-a.b", "a._b",
        "a.b ", " a.b", "a/b.c", "é.a", "a.b\n", "bug-hunt",
    ] {
        assert!(wrong.parse::<WorkflowId>().is_err(), "{wrong:?}");
        assert!(serde_json::from_value::<WorkflowId>(json!(wrong)).is_err());
    }
}

#[test]
fn a_workflow_id_has_at_most_128_bytes() {
    let longest = format!("a.{}", "b".repeat(WORKFLOW_ID_BYTES_MAX - 2));
    assert_eq!(longest.len(), 128);
    assert!(longest.parse::<WorkflowId>().is_ok());
    assert_eq!(
        format!("{longest}b").parse::<WorkflowId>().unwrap_err().problem,
        IdProblem::TooLong { max_bytes: 128 }
    );
}

// shows: WR-017, WR-018
#[test]
fn an_index_is_an_integer_that_canonical_json_can_hold() {
    let last = EventIndex::new(INTEGER_MAX).unwrap();
    assert_eq!(encode(&last).unwrap().as_str(), "9007199254740991");
    assert_eq!(serde_json::from_str::<EventIndex>("9007199254740991").unwrap(), last);
    assert_eq!(
        EventIndex::new(INTEGER_MAX + 1).unwrap_err().problem,
        IdProblem::TooLarge { max: INTEGER_MAX }
    );
    for wrong in ["-1", "1.5", "1.0", "9007199254740992", "1e400", "\"1\"", "null", "true"] {
        assert!(serde_json::from_str::<EventIndex>(wrong).is_err(), "{wrong}");
        assert!(serde_json::from_str::<ManifestIndex>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn indexes_count_up_from_zero() {
    assert_eq!(EventIndex::ZERO.get(), 0);
    assert_eq!(EventIndex::ZERO.next().next().get(), 2);
    assert!(ManifestIndex::ZERO < ManifestIndex::ZERO.next());
    assert_eq!(ManifestIndex::new(41).unwrap().next().to_string(), "42");
}

#[test]
#[should_panic(expected = "never gets this long")]
fn counting_past_the_last_index_is_a_broken_invariant() {
    let _ = EventIndex::new(INTEGER_MAX).unwrap().next();
}
