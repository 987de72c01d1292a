//! Check, repair, clean, export, import, new keys.

use piton_core::Code;
use piton_runtime::reply::Reply;
use piton_runtime::request::{Continue, SessionReference};
use piton_store::collect::CollectMode;

use crate::rig::{Machine, notes, start, two_steps};

async fn run(machine: &Machine) -> Reply {
    machine.write("project/.piton/workflows/a.json", &two_steps("project.a"));
    machine.agent().start_workflow(start("project.a")).await.unwrap()
}

fn session(answer: &Reply) -> SessionReference {
    SessionReference(answer.body.run.session_id.to_string())
}

#[tokio::test]
async fn a_session_is_carried_to_another_machine_and_goes_on_there() {
    let (here, there) = (Machine::in_memory(), Machine::on_disk());
    let started = run(&here).await;
    let bytes = here.runtime().export_session(&session(&started), false).await.unwrap();
    let imported = there.runtime().import_session(&bytes).await.unwrap();
    assert_eq!((imported.session_id, imported.renamed_from), (started.body.run.session_id, None));
    let again = there.runtime().import_session(&bytes).await.unwrap();
    assert_eq!(again.renamed_from, Some(imported.session_id));
    let agent = there.agent();
    let request = piton_runtime::request::ResumeSession {
        session_id: Some(imported.session_id),
        ..Default::default()
    };
    let found = agent.resume_session(&request).await.unwrap();
    let state_token = Some(found.candidates[0].state_token.clone());
    let asked = Continue { state_token, ..Continue::default() };
    let stands = agent.continue_workflow(asked).await.unwrap();
    let next = agent.continue_workflow(notes(stands.body.ack_token.as_ref(), "On.")).await.unwrap();
    assert_eq!(next.body.pending.unwrap().step_id.as_str(), "second");
}

// shows in part: WR-504 (that bundles carry the digest)
#[tokio::test]
async fn a_bundle_says_which_configuration_was_in_force() {
    let machine = Machine::in_memory();
    let started = run(&machine).await;
    let runtime = machine.runtime();
    let bytes = runtime.export_session(&session(&started), false).await.unwrap();
    let bundle: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let digest = runtime.applied().digest().to_string();
    assert_eq!(bundle["producer"]["appliedConfigHash"], digest);
}

#[tokio::test]
async fn what_is_no_bundle_is_refused() {
    let machine = Machine::in_memory();
    for bytes in [&b""[..], b"{}", b"\xff", b"[1]"] {
        let refused = machine.runtime().import_session(bytes).await.unwrap_err();
        assert!(refused.code.as_str().starts_with("BUNDLE_"), "{}", refused.code);
    }
    let absent = SessionReference("sess_aaaaaaaaaaaaaaaaaaaaaaaaaa".to_owned());
    let refused = machine.runtime().export_session(&absent, false).await.unwrap_err();
    assert_eq!(refused.code, Code::SessionNotFound);
}

#[tokio::test]
async fn what_is_valid_of_a_session_can_be_saved_but_not_imported() {
    let machine = Machine::in_memory();
    let started = run(&machine).await;
    let bytes = machine.runtime().export_session(&session(&started), true).await.unwrap();
    assert!(machine.runtime().import_session(&bytes).await.is_err());
}

#[tokio::test]
async fn a_cleaning_goes_by_the_configuration_and_spares_what_is_kept() {
    let machine = Machine::on_disk();
    let (old, kept) = (run(&machine).await, run(&machine).await);
    let runtime = machine.runtime();
    let set = runtime.keep_session(&session(&kept), true).await.unwrap();
    assert!(set.kept && runtime.show_session(&session(&kept)).await.unwrap().kept);
    let before = runtime.clean(CollectMode::Remove).await.unwrap();
    assert_eq!((before.young, before.removed.len()), (2, 0));

    machine.write(".config/piton/config.toml", "[retention]\ndays = 1\n");
    for answer in [&old, &kept] {
        let manifest = format!("sessions/{}/manifest.jsonl", answer.body.run.session_id);
        let file =
            std::fs::File::options().write(true).open(machine.data().join(manifest)).unwrap();
        let days = std::time::Duration::from_hours(48);
        file.set_modified(std::time::SystemTime::now() - days).unwrap();
    }
    let rehearsed = runtime.clean(CollectMode::Rehearse).await.unwrap();
    assert!(rehearsed.is_rehearsal);
    assert_eq!(rehearsed.removed, [old.body.run.session_id]);
    assert_eq!(runtime.list_sessions().await.unwrap().runs.len(), 2);
    let cleaned = runtime.clean(CollectMode::Remove).await.unwrap();
    assert_eq!((cleaned.removed.len(), cleaned.kept), (1, 1));
    let left = runtime.list_sessions().await.unwrap().runs;
    assert_eq!(left[0].session_id, kept.body.run.session_id);
}

#[tokio::test]
async fn tokens_of_the_key_before_the_last_are_worthless() {
    let machine = Machine::in_memory();
    let started = run(&machine).await;
    let runtime = machine.runtime();
    runtime.rotate_keys().await.unwrap();
    let state_token = Some(started.body.state_token.clone());
    let asked = Continue { state_token, ..Continue::default() };
    assert!(machine.agent().continue_workflow(asked.clone()).await.is_ok());
    runtime.rotate_keys().await.unwrap();
    let refused = machine.agent().continue_workflow(asked).await.unwrap_err();
    assert_eq!(refused.code, Code::TokenBadSignature);
}

#[tokio::test]
async fn a_sound_session_is_verified_and_left_alone_by_a_repair() {
    let machine = Machine::on_disk();
    let started = run(&machine).await;
    let session = SessionReference(started.body.run.session_id.to_string());
    let runtime = machine.runtime();
    assert!(runtime.verify_session(&session).await.unwrap().is_sound);
    let repaired = runtime.repair_session(&session).await.unwrap();
    assert!(repaired.is_sound && repaired.summary.contains("Nothing was changed"));
}
