//! Runs, nodes and edges, each by itself.

use piton_workflow::event::{Cause, EdgeCreated, PayloadError};
use piton_workflow::{EdgeCause, EdgeKind, NodeKind};
use serde_json::json;

use super::sample::{AT_NEXT, NEXT, ROOT, RUN, data, edge, event_id, node, run_started, with_data};

// shows: WR-128
// shows: WR-129 (with the_edge_of_a_bookmark_leads_to_a_bookmark)
#[test]
fn a_bookmark_is_made_by_making_a_bookmark_and_nothing_else_is() {
    for kind in EdgeKind::ALL.iter().copied() {
        for cause in EdgeCause::ALL.iter().copied() {
            let fine = (kind == EdgeKind::Checkpoint) == (cause == EdgeCause::CheckpointCreated);
            let made =
                EdgeCreated::new(kind, ROOT, NEXT, Cause { kind: cause, event_id: event_id(1) });
            match made {
                Ok(_) => assert!(fine, "{kind} {cause}"),
                Err(error) => {
                    assert!(!fine, "{kind} {cause}");
                    assert_eq!(error, PayloadError::EdgeCause { kind, cause });
                }
            }
            let body = edge(kind, ROOT, NEXT, 1);
            let mut whole = data(&body);
            whole["cause"]["kind"] = json!(cause);
            assert_eq!(with_data(&body, &whole).is_ok(), fine, "{kind} {cause}");
        }
    }
}

#[test]
fn only_the_root_has_no_parent_and_says_so() {
    let root = node(AT_NEXT, NodeKind::Step, None);
    assert_eq!(data(&root)["parentNodeId"], json!(null));
    let child = node(AT_NEXT, NodeKind::Step, Some(ROOT));
    assert_eq!(data(&child)["parentNodeId"], json!(ROOT));
}

#[test]
fn a_node_kind_that_is_never_written_can_be_read() {
    let body = node(AT_NEXT, NodeKind::Step, Some(ROOT));
    let mut whole = data(&body);
    whole["nodeKind"] = json!("blocked_attempt");
    assert!(with_data(&body, &whole).is_ok());
}

#[test]
fn the_reference_to_a_source_is_any_short_text() {
    let body = run_started(RUN);
    for (bytes, fine) in [(0, true), (1024, true), (1025, false)] {
        let mut whole = data(&body);
        whole["workflowSourceRef"] = json!("x".repeat(bytes));
        assert_eq!(with_data(&body, &whole).is_ok(), fine, "{bytes}");
    }
}
