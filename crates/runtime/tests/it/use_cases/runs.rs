//! Starting runs and leading them on.

use piton_core::digest::FileBytes;
use piton_core::{BoundedText, Digest, canonical};
use piton_runtime::bounds::ARTIFACT_PART_BYTES_MAX;
use piton_runtime::reply::ReplyNotice;
use piton_runtime::request::{
    Checkpoint, Continue, GetArtifact, SessionReference, SubmittedOutput,
};
use piton_store::StreamId;
use piton_workflow::event::ObservedValue;
use piton_workflow::{Autonomy, EventBody, ObservationKey, RunStatus};
use serde_json::json;

use crate::rig::{Machine, notes, start, two_steps, workflow};

fn machine() -> Machine {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/a.json", &two_steps("project.a"));
    machine
}

// shows in part: WR-262 (the shape and the tokens)
#[tokio::test]
async fn a_run_starts_in_the_project_and_goes_to_its_end() {
    for machine in [Machine::in_memory(), Machine::on_disk()] {
        machine.write("project/.piton/workflows/a.json", &two_steps("project.a"));
        let agent = machine.agent();
        let first = agent.start_workflow(start("project.a")).await.unwrap();
        let path = machine.project().display().to_string();
        assert_eq!(first.notices, [ReplyNotice::ProjectDir { path }]);
        assert_eq!(first.body.pending.as_ref().unwrap().prompt, "Do first.");
        let second =
            agent.continue_workflow(notes(first.body.ack_token.as_ref(), "One.")).await.unwrap();
        assert_eq!(second.body.pending.as_ref().unwrap().prompt, "Do second.");
        let last =
            agent.continue_workflow(notes(second.body.ack_token.as_ref(), "Two.")).await.unwrap();
        assert!(last.body.is_complete);
        let listed = machine.runtime().list_sessions().await.unwrap();
        assert_eq!(listed.runs[0].status, RunStatus::Complete);
    }
}

#[tokio::test]
async fn the_part_of_an_artifact_that_an_agent_reads_is_bounded_whatever_its_kind() {
    let machine = machine();
    let agent = machine.agent();
    let first = agent.start_workflow(start("project.a")).await.unwrap();
    let artifact = json!({ "kind": format!("long\n{}", "x".repeat(200_000)) });
    let output =
        SubmittedOutput { notes_markdown: Some("One.".into()), artifacts: vec![artifact.clone()] };
    let submitted =
        Continue { ack_token: first.body.ack_token, output: Some(output), ..Continue::default() };
    agent.continue_workflow(submitted).await.unwrap();
    let digest = Digest::of(&canonical::encode(&artifact).unwrap()).to_string();
    let part = agent.get_artifact(&GetArtifact { digest, offset: None }).await.unwrap();
    assert_eq!((part.kind.as_deref(), part.text.len()), (Some("long"), ARTIFACT_PART_BYTES_MAX));
    assert!(part.text().len() < ARTIFACT_PART_BYTES_MAX + 500);
    let rest = GetArtifact { digest: part.digest.to_string(), offset: part.next_offset };
    assert_eq!(agent.get_artifact(&rest).await.unwrap().offset, ARTIFACT_PART_BYTES_MAX);
}

// shows: WR-158
#[tokio::test]
async fn what_git_says_is_recorded_in_the_first_transaction() {
    let machine = machine();
    machine.write("project/.git/HEAD", "ref: refs/heads/fix/login\n");
    machine.write("project/.git/refs/heads/fix/login", "0123456789abcdef0123456789abcdef01234567");
    let first = machine.agent().start_workflow(start("project.a")).await.unwrap();
    let stream = StreamId::from(first.body.run.session_id);
    let events = machine.ports.journal.load(&stream).await.unwrap().events;
    let observed = |key| {
        events.iter().find_map(|event| match event.body() {
            EventBody::ObservationRecorded { data, .. } if data.key == key => {
                Some(data.value.clone())
            }
            _ => None,
        })
    };
    let root = machine.project();
    let path = BoundedText::new(root.to_str().unwrap()).unwrap();
    assert!(root.is_absolute());
    assert_eq!(observed(ObservationKey::RepoRoot), Some(ObservedValue::Path(path)));
    let digest = Digest::of(&FileBytes(root.to_str().unwrap().as_bytes()));
    assert_eq!(observed(ObservationKey::RepoRootHash), Some(ObservedValue::Sha256(digest)));
    let listed = machine.runtime().list_sessions().await.unwrap();
    let around = &listed.runs[0].surroundings;
    assert_eq!(around.branch.as_ref().unwrap().as_str(), "fix/login");
    assert_eq!(
        around.head_sha.as_ref().unwrap().as_str(),
        "0123456789abcdef0123456789abcdef01234567"
    );
    assert_eq!(around.repo_root.as_ref().unwrap().as_str(), machine.project().to_str().unwrap());
}

// shows: WR-114 (with a_source_that_changes_does_not_change_a_run_that_began)
#[tokio::test]
async fn a_run_keeps_the_workflow_that_it_began_with_whatever_becomes_of_the_file() {
    let machine = machine();
    let first = machine.agent().start_workflow(start("project.a")).await.unwrap().body;
    let file = machine.write(
        "project/.piton/workflows/a.json",
        &workflow("project.a", &["other", "steps", "than", "before"]),
    );
    let call = notes(first.ack_token.as_ref(), "One.");
    let second = machine.agent().continue_workflow(call).await.unwrap().body;
    assert_eq!((second.pending.unwrap().prompt.as_str(), second.run.of), ("Do second.", 2));
    let newer = machine.agent().start_workflow(start("project.a")).await.unwrap().body;
    assert_eq!((newer.pending.unwrap().prompt.as_str(), newer.run.of), ("Do other.", 4));
    std::fs::remove_file(file).unwrap();
    let call = notes(second.ack_token.as_ref(), "Two.");
    assert!(machine.agent().continue_workflow(call).await.unwrap().body.is_complete);
}

#[tokio::test]
async fn the_same_start_key_gives_the_same_run_in_one_project_and_another_one_elsewhere() {
    let machine = machine();
    let elsewhere = machine.write("other/piton.toml", "").parent().unwrap().to_path_buf();
    let mut request = start("wr.tour");
    request.start_key = Some("TICKET-1".to_owned());
    let first = machine.agent().start_workflow(request.clone()).await.unwrap();
    let again = machine.agent().start_workflow(request.clone()).await.unwrap();
    assert_eq!(
        serde_json::to_string(&first.body).unwrap(),
        serde_json::to_string(&again.body).unwrap()
    );
    let mut other = request.clone();
    other.project_dir = Some(elsewhere.display().to_string());
    let other = machine.agent().start_workflow(other).await.unwrap();
    assert_ne!(other.body.run.session_id, first.body.run.session_id);
    request.goal = Some("something else".to_owned());
    let refused = machine.agent().start_workflow(request).await.unwrap_err();
    assert!(refused.message.contains("another goal"), "{}", refused.message);
}

#[tokio::test]
async fn a_broken_configuration_refuses_a_start_and_says_what_to_mend() {
    let machine = machine();
    let agent = machine.agent();
    machine.write("project/piton.toml", "[preferences]\nautonomy = \"bold\"\n");
    let refused = agent.start_workflow(start("project.a")).await.unwrap_err();
    assert!(refused.message.contains("piton.toml:2:12"), "{}", refused.message);
    assert!(machine.runtime_after_mending().list_sessions().await.unwrap().runs.is_empty());
}

#[tokio::test]
async fn the_configuration_of_the_project_that_a_call_names_counts() {
    let machine = machine();
    machine.write(
        "other/piton.toml",
        "[preferences]\nautonomy = \"full_auto_never_stop\"\n[workflows]\ndirs = [\"flows\"]\n",
    );
    machine.write("other/flows/b.json", &two_steps("team.b"));
    let agent = machine.agent();
    assert!(agent.start_workflow(start("team.b")).await.is_err());
    let mut request = start("team.b");
    request.project_dir = Some(machine.home().join("other").display().to_string());
    let started = agent.start_workflow(request).await.unwrap();
    assert_eq!(started.body.preferences.autonomy, Autonomy::FullAutoNeverStop);
}

// shows: WR-426
#[tokio::test]
async fn nothing_of_the_context_comes_back_in_any_reply() {
    let machine = machine();
    let agent = machine.agent();
    let mut request = start("project.a");
    let secret = "MARKER-4711";
    request.context = json!({ "key": secret }).as_object().cloned();
    let first = agent.start_workflow(request).await.unwrap();
    let mut forward = notes(first.body.ack_token.as_ref(), "One.");
    forward.context = json!({ "other": secret }).as_object().cloned();
    let second = agent.continue_workflow(forward).await.unwrap();
    let state_token = Some(second.body.state_token.clone());
    let asked = Continue { state_token, ..Continue::default() };
    let third = agent.continue_workflow(asked).await.unwrap();
    for answer in [first, second, third] {
        assert!(!format!("{answer:?}").contains(secret));
        assert!(!answer.text().contains(secret));
    }
}

#[tokio::test]
async fn a_bookmark_is_made_and_come_back_to() {
    let machine = machine();
    let agent = machine.agent();
    let first = agent.start_workflow(start("project.a")).await.unwrap();
    let output =
        SubmittedOutput { notes_markdown: Some("Half way.".to_owned()), artifacts: Vec::new() };
    let request = Checkpoint {
        label: None,
        checkpoint_token: first.body.checkpoint_token.clone().unwrap(),
        output: Some(output),
    };
    let made = agent.checkpoint_workflow(request).await.unwrap();
    let back = Continue {
        state_token: made.body.next_call.params.state_token.clone(),
        ..Continue::default()
    };
    let there = agent.continue_workflow(back).await.unwrap();
    assert_eq!(there.body.pending.unwrap().step_id.as_str(), "first");
    let reference = SessionReference(first.body.run.session_id.to_string());
    let shown = machine.runtime().show_session(&reference).await.unwrap();
    assert_eq!(shown.runs[0].steps[0].bookmarks, 1);
}

#[test]
fn requests_refuse_fields_that_nobody_knows() {
    let known = json!({ "ackToken": "x", "output": { "notesMarkdown": "n", "artifacts": [{}] } });
    assert!(serde_json::from_value::<Continue>(known).is_ok());
    for strange in [json!({ "continueToken": "x" }), json!({ "output": { "notes": "n" } })] {
        assert!(serde_json::from_value::<Continue>(strange).is_err());
    }
}

#[tokio::test]
async fn a_token_of_any_kind_names_the_step_that_a_call_belongs_to() {
    let machine = machine();
    let agent = machine.agent();
    assert_eq!(agent.call_basis(None).await.unwrap().provenance, None);
    let first = agent.start_workflow(start("project.a")).await.unwrap().body;
    let short = first.next_call.as_ref().unwrap().params.ack_token.clone();
    let tokens = [Some(first.state_token.clone()), first.ack_token.clone(), short];
    for token in tokens {
        let standing = agent.call_basis(token.as_deref()).await.unwrap();
        let provenance = standing.provenance.unwrap();
        assert_eq!((provenance.session, provenance.run), (first.run.session_id, first.run.run_id));
        assert_eq!(provenance.step, "first");
    }
    let second = agent.continue_workflow(notes(first.ack_token.as_ref(), "One.")).await.unwrap();
    let last =
        agent.continue_workflow(notes(second.body.ack_token.as_ref(), "Two.")).await.unwrap();
    let refused = agent.call_basis(Some(&last.body.state_token)).await.unwrap_err();
    assert!(refused.message.contains("names no step that is to be done"), "{}", refused.message);
    let refused = agent.call_basis(Some("ak-nothing")).await.unwrap_err();
    assert!(refused.code.as_str().starts_with("TOKEN"), "{}", refused.code);
}
