//! Sessions as people look at them.

use piton_core::Code;
use piton_runtime::request::SessionReference;
use piton_workflow::{BlockerCode, EdgeCause};

use crate::rig::{Machine, notes, start, two_steps};

fn reference(text: &impl ToString) -> SessionReference {
    SessionReference(text.to_string())
}

/// A run that was blocked once, then forked at its first step.
async fn forked(machine: &Machine) -> piton_runtime::reply::Reply {
    machine.write("project/.piton/workflows/a.json", &two_steps("project.a"));
    let agent = machine.agent();
    let first = agent.start_workflow(start("project.a")).await.unwrap();
    let blocked = agent.continue_workflow(notes(first.body.ack_token.as_ref(), " ")).await.unwrap();
    assert!(blocked.body.blockers.is_some());
    let one = notes(blocked.body.ack_token.as_ref(), "# The first way\nA.");
    agent.continue_workflow(one).await.unwrap();
    let state = piton_runtime::request::Continue {
        state_token: Some(first.body.state_token.clone()),
        ..Default::default()
    };
    let again = agent.continue_workflow(state).await.unwrap();
    agent.continue_workflow(notes(again.body.ack_token.as_ref(), "The other way")).await.unwrap()
}

#[tokio::test]
async fn a_session_is_shown_with_steps_notes_blocks_and_gaps() {
    let machine = Machine::in_memory();
    let last = forked(&machine).await;
    let shown =
        machine.runtime().show_session(&reference(&last.body.run.session_id)).await.unwrap();
    assert!(!shown.kept);
    let run = &shown.runs[0];
    let titles: Vec<_> = run.steps.iter().map(|step| step.title.as_deref().unwrap()).collect();
    assert_eq!(titles, ["Title of first", "Title of second"]);
    assert_eq!(run.steps[0].blocks.len(), 1);
    assert_eq!(run.steps[0].blocks[0].code, BlockerCode::MissingRequiredOutput);
    assert_eq!(run.steps[0].gaps.len(), 1);
    assert!(!run.steps[0].gaps[0].is_open);
    assert!(run.steps[0].notes.as_deref().unwrap().contains("The other way"));
    assert_eq!(run.left_out, 0);
}

#[tokio::test]
async fn a_tree_has_every_branch_and_marks_the_way_that_counts() {
    let machine = Machine::on_disk();
    let last = forked(&machine).await;
    let tree = machine.runtime().run_tree(&reference(&last.body.run.run_id)).await.unwrap();
    assert_eq!(tree.nodes.len(), 3);
    let root = &tree.nodes[0];
    assert_eq!((root.parent_id, root.step, root.blocked), (None, Some(1), 1));
    assert!(root.is_on_path && !root.is_tip);
    for child in &tree.nodes[1..] {
        assert_eq!(child.parent_id, Some(root.node_id));
        assert!(child.is_tip);
    }
    assert!(!tree.nodes[1].is_on_path && tree.nodes[2].is_preferred_tip);
    assert_eq!(tree.nodes[2].cause, Some(EdgeCause::NonTipAdvance));
    assert_eq!(tree.summary.tips, 2);
}

#[tokio::test]
async fn a_person_names_a_session_by_its_id_its_end_or_the_two_words_of_its_run() {
    let machine = Machine::in_memory();
    let run = forked(&machine).await.body.run;
    let runtime = machine.runtime();
    let session = run.session_id.to_string();
    let tail = &session[session.len() - 6..];
    for text in [session.as_str(), tail, &run.run_id.to_string(), &run.label.to_string()] {
        let shown = runtime.show_session(&reference(&text)).await.unwrap();
        assert_eq!(shown.session_id, run.session_id, "{text}");
    }
    for nothing in ["", "zz", "amber-nothing", "sess_short", &session[session.len() - 2..]] {
        let refused = runtime.show_session(&reference(&nothing)).await.unwrap_err();
        assert_eq!(refused.code, Code::SessionNotFound, "{nothing}");
    }
}

#[tokio::test]
async fn nothing_is_taken_away_by_the_two_words_of_a_run() {
    let machine = Machine::in_memory();
    let run = forked(&machine).await.body.run;
    let runtime = machine.runtime();
    let words = reference(&run.label);
    for refused in [
        runtime.delete_session(&words).await.unwrap_err(),
        runtime.repair_session(&words).await.unwrap_err(),
    ] {
        assert_eq!(refused.code, Code::ValidationError);
        assert!(refused.suggestion.contains(&run.session_id.to_string()), "{}", refused.suggestion);
    }
    assert!(runtime.keep_session(&words, true).await.unwrap().kept);
    assert_eq!(runtime.list_sessions().await.unwrap().runs.len(), 1);
}

#[tokio::test]
async fn a_deleted_session_is_gone_and_its_tokens_are_worthless() {
    for machine in [Machine::in_memory(), Machine::on_disk()] {
        let last = forked(&machine).await;
        let runtime = machine.runtime();
        let session = reference(&last.body.run.session_id);
        runtime.delete_session(&session).await.unwrap();
        assert!(runtime.list_sessions().await.unwrap().runs.is_empty());
        let refused = runtime.delete_session(&session).await.unwrap_err();
        assert_eq!(refused.code, Code::SessionNotFound);
        let used =
            machine.agent().continue_workflow(notes(last.body.ack_token.as_ref(), "x")).await;
        assert_eq!(used.unwrap_err().code, Code::TokenUnknownNode);
    }
}

#[tokio::test]
async fn a_damaged_session_is_listed_with_what_to_do() {
    let machine = Machine::on_disk();
    let session = forked(&machine).await.body.run.session_id;
    let manifest = machine.data().join(format!("sessions/{session}/manifest.jsonl"));
    let mut bytes = std::fs::read(&manifest).unwrap();
    bytes[10] ^= 1;
    std::fs::write(&manifest, bytes).unwrap();
    let runtime = machine.runtime();
    let listed = runtime.list_sessions().await.unwrap();
    assert!(listed.runs.is_empty());
    assert_eq!(listed.troubled[0].session_id, session.to_string());
    assert_eq!(listed.troubled[0].trouble.code, Code::SessionNotHealthy);
    let tail = session.to_string();
    let verdict = runtime.verify_session(&reference(&&tail[tail.len() - 8..])).await.unwrap();
    assert!(!verdict.is_sound);
    assert!(verdict.summary.contains("piton session repair"), "{}", verdict.summary);
}
