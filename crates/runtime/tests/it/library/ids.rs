//! Older ids, and ids that nobody has.

use piton_runtime::reply::{Reply, ReplyNotice};
use piton_runtime::request::{InspectMode, InspectWorkflow, ListWorkflows};
use piton_workflow::compile::WarningCode;
use piton_workflow::source::IdStatus;

use crate::rig::{Machine, start, two_steps};

fn inspect(id: &str) -> InspectWorkflow {
    InspectWorkflow { workflow_id: id.to_owned(), mode: InspectMode::Metadata, project_dir: None }
}

/// The warnings about the id that was asked for.
fn warnings(reply: &Reply) -> Vec<&str> {
    let mut warnings = Vec::new();
    for notice in &reply.notices {
        if let ReplyNotice::OtherId { message } = notice {
            warnings.push(message.as_str());
        }
    }
    warnings
}

// shows: WR-399, WR-401, WR-406
#[tokio::test]
async fn a_file_with_an_older_id_is_listed_started_and_warned_about() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/a.json", &two_steps("My-Flow"));
    machine.write(".config/piton/workflows/b.json", &two_steps("user.plain"));
    let agent = machine.agent();
    let listed = agent.list_workflows(&ListWorkflows::default()).unwrap();
    let entry = listed.workflows.iter().find(|entry| entry.workflow_id == "My-Flow").unwrap();
    assert_eq!(entry.id_status, IdStatus::Legacy);
    assert_eq!(entry.suggested_id.as_ref().unwrap().as_str(), "project.my_flow");
    assert_eq!(entry.canonical_id, entry.suggested_id);
    assert!(entry.warnings.iter().any(|one| one.code == WarningCode::LegacyWorkflowId));
    let plain = listed.workflows.iter().find(|entry| entry.workflow_id == "user.plain").unwrap();
    assert_eq!((plain.id_status, &plain.suggested_id), (IdStatus::Namespaced, &None));

    let by_older = agent.start_workflow(start("My-Flow")).await.unwrap();
    assert_eq!(by_older.body.run.workflow_id.as_str(), "project.my_flow");
    assert_eq!(warnings(&by_older), ["`My-Flow` has no namespace; use `project.my_flow`."]);
    let by_id = agent.start_workflow(start("project.my_flow")).await.unwrap();
    assert!(warnings(&by_id).is_empty());
}

// shows in part: WR-405 (that an older name of a bundled workflow starts it)
#[tokio::test]
async fn an_older_name_of_a_bundled_workflow_starts_it_unless_a_file_has_that_id() {
    let machine = Machine::in_memory();
    let agent = machine.agent();
    let bundled = agent.start_workflow(start("tour")).await.unwrap();
    assert_eq!(bundled.body.run.workflow_id.as_str(), "wr.tour");
    assert_eq!(warnings(&bundled), ["`tour` is an older name of `wr.tour`; use `wr.tour`."]);
    machine.write("project/.piton/workflows/tour.json", &two_steps("tour"));
    let own = agent.start_workflow(start("tour")).await.unwrap();
    assert_eq!(own.body.run.workflow_id.as_str(), "project.tour");
}

// shows: WR-404
#[test]
fn an_older_id_whose_place_is_taken_gets_the_same_other_id_every_time() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/a.json", &two_steps("my-flow"));
    machine.write("project/.piton/workflows/b.json", &two_steps("my_flow"));
    machine.write(".config/piton/workflows/c.json", &two_steps("project.my_flow"));
    let suggested = || {
        let listed = machine.agent().list_workflows(&ListWorkflows::default()).unwrap();
        let legacy =
            listed.workflows.into_iter().filter(|entry| entry.id_status == IdStatus::Legacy);
        legacy.map(|entry| entry.suggested_id.unwrap().to_string()).collect::<Vec<_>>()
    };
    let first = suggested();
    assert_eq!(first.len(), 2);
    assert!(first.iter().all(|id| id.starts_with("project.my_flow_")), "{first:?}");
    assert_ne!(first[0], first[1]);
    assert_eq!(suggested(), first);
}

// shows in part: WR-407 (that an unknown id is answered with the nearest)
#[test]
fn an_unknown_id_is_answered_with_the_nearest_or_with_all() {
    let machine = Machine::in_memory();
    let agent = machine.agent();
    let refused = |id: &str| agent.inspect_workflow(&inspect(id)).unwrap_err();
    let slip = refused("wr.code_reveiw");
    assert_eq!(slip.message, "There is no workflow `wr.code_reveiw`.");
    assert!(slip.suggestion.starts_with("Did you mean wr.code_review?"), "{}", slip.suggestion);
    assert_eq!(slip, refused("wr.code_reveiw"));
    let far = refused("bake.cake");
    assert!(far.suggestion.contains("wr.bug_investigation, wr.code_review"), "{}", far.suggestion);
    machine.write("project/.piton/workflows/bake.json", "{}");
    let broken = refused("project.bake");
    assert!(broken.message.contains("bake.json does not load"), "{}", broken.message);
    for strange in ["", "   ", "../../etc/passwd", &"x".repeat(100_000)] {
        assert!(refused(strange).message.len() < 300);
    }
}
