//! What waits for a person, and what becomes of their verdict.

use std::sync::Arc;

use piton_runtime::Runtime;
use piton_runtime::reply::{Inbox, Question, Reply};
use piton_runtime::request::{Freshness, PersonVerdict, SessionReference, SettleRequest};
use serde_json::{Value, json};

use crate::rig::{Machine, labelled, notes, start, two_steps};

fn asking(id: &str) -> String {
    json!({ "id": id, "steps": [
        { "id": "drop", "title": "Drop", "prompt": "Drop the table.",
          "needsUser": { "reason": "needs_user_approval", "question": "May the table be dropped?" } },
        { "id": "end", "title": "End", "prompt": "End." },
    ]})
    .to_string()
}

async fn inbox(machine: &Machine, runtime: &Runtime) -> Inbox {
    let now = runtime.inbox(Some(&machine.project()), None, Freshness::Now).await.unwrap();
    // The same from the index alone, which the call above has brought up to date.
    let indexed = runtime.inbox(Some(&machine.project()), None, Freshness::Indexed).await.unwrap();
    assert_eq!(indexed, now);
    now
}

/// Starts a run and submits `text` for its first step.
async fn blocked(machine: &Machine, workflow: &str, text: &str) -> Reply {
    let agent = machine.agent();
    let first = agent.start_workflow(start(workflow)).await.unwrap();
    let call = notes(first.body.ack_token.as_ref(), text);
    agent.continue_workflow(labelled(&first.body.run, call)).await.unwrap()
}

fn verdict(question: &Question, by: &str, verdict: PersonVerdict) -> SettleRequest {
    let run = &question.run;
    SettleRequest {
        node: Some(question.node),
        by: Some(by.parse().unwrap()),
        ..SettleRequest::new(run.session_id, run.run_id, verdict)
    }
}

#[tokio::test]
async fn an_inbox_has_questions_blocked_runs_broken_files_and_damage() {
    let machine = Machine::on_disk();
    machine.write("project/.piton/workflows/drop.json", &asking("project.drop"));
    machine.write("project/.piton/workflows/plain.json", &two_steps("project.plain"));
    machine.write("project/.piton/workflows/broken.json", "{");
    let runtime = machine.runtime();
    let empty = inbox(&machine, &runtime).await;
    assert_eq!((empty.unloaded.total(), empty.total()), (1, 1));

    let asked = blocked(&machine, "project.drop", "They agree.").await;
    let stuck = blocked(&machine, "project.plain", " ").await;
    // A run that its agent works on is nobody else's business.
    blocked(&machine, "project.plain", "Done.").await;
    let lost = blocked(&machine, "project.plain", "Done.").await;
    let session = lost.body.run.session_id.to_string();
    let events = machine.data().join("sessions").join(&session).join("events");
    let segment = std::fs::read_dir(events).unwrap().next().unwrap().unwrap().path();
    std::fs::write(segment, "{}\n").unwrap();

    let found = inbox(&machine, &runtime).await;
    let [question] = found.questions.items.as_slice() else { panic!("{found:?}") };
    assert_eq!(question.run.run_id, asked.body.run.run_id);
    assert_eq!(question.words.as_deref(), Some("May the table be dropped?"));
    let [run] = found.blocked.items.as_slice() else { panic!("{found:?}") };
    assert_eq!(run.run_id, stuck.body.run.run_id);
    let [damaged] = found.damaged.items.as_slice() else { panic!("{found:?}") };
    assert_eq!(damaged.session_id, session);
    assert_eq!((found.gaps.total(), found.runs_not_read), (0, 0));
    // The reply is what a page gets.
    let json: Value = serde_json::to_value(&found).unwrap();
    let question = &json["questions"]["items"][0];
    assert_eq!(question["reason"], "needs_user_approval");
    assert!(question["nodeId"].as_str().unwrap().starts_with("node_"), "{question}");
}

#[tokio::test]
async fn a_verdict_counts_for_the_question_that_was_seen_and_the_second_person_is_told_of_the_first()
 {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/drop.json", &asking("project.drop"));
    let waits = blocked(&machine, "project.drop", "They agree.").await;
    let runtime = machine.runtime();
    let question = inbox(&machine, &runtime).await.questions.items.remove(0);
    let no = PersonVerdict::Refused("back it up first".to_owned());
    let settled = runtime.settle_question(verdict(&question, "Anna", no)).await.unwrap();
    assert_eq!(settled.summary, "A person (Anna) refused: back it up first");
    assert!(inbox(&machine, &runtime).await.questions.is_empty(), "no is an answer");

    let late = verdict(&question, "Bert", PersonVerdict::Approved);
    let late = runtime.settle_question(late).await.unwrap_err();
    assert!(late.message.contains("Anna refused at 2023-11-14"), "{}", late.message);
    assert!(late.message.contains("back it up first"), "{}", late.message);
    // By the name of the run, a person may still change their mind.
    let run = SessionReference(waits.body.run.label.to_string());
    let clara = Some("Clara".parse().unwrap());
    runtime.settle_run(&run, clara, PersonVerdict::Approved).await.unwrap();
    let shown = runtime.show_session(&run).await.unwrap();
    let names: Vec<_> =
        shown.runs[0].steps[0].decisions.iter().map(|made| made.by.clone()).collect();
    assert_eq!(names, ["Clara", "Anna"].map(|name| Some(name.parse().unwrap())));
}

#[tokio::test]
async fn a_step_that_is_refused_as_often_as_the_settings_say_is_a_question() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/plain.json", &two_steps("project.plain"));
    machine.write("project/piton.toml", "[preferences]\nask_after_refusals = 2\n");
    let (agent, runtime) = (machine.agent(), machine.runtime());
    let first = agent.start_workflow(start("project.plain")).await.unwrap();
    let run = &first.body.run;
    let call = notes(first.body.ack_token.as_ref(), " ");
    let once = agent.continue_workflow(labelled(run, call)).await.unwrap();
    let found = inbox(&machine, &runtime).await;
    assert_eq!((found.questions.total(), found.blocked.total()), (0, 1));

    let call = notes(once.body.ack_token.as_ref(), " ");
    let twice = agent.continue_workflow(labelled(run, call)).await.unwrap();
    let found = inbox(&machine, &runtime).await;
    assert_eq!((found.questions.total(), found.blocked.total()), (1, 0));
    let question = &found.questions.items[0];
    let words = question.words.as_deref().unwrap();
    assert!(words.contains("refused 2 times in a row"), "{words}");
    assert!(words.contains("requires notes"), "{words}");
    assert!(agent.question(&twice.body).await.unwrap().is_some(), "a client can ask it as well");

    let advice = PersonVerdict::Answered("write a line".to_owned());
    runtime.settle_question(verdict(question, "Anna", advice)).await.unwrap();
    let found = inbox(&machine, &runtime).await;
    assert_eq!(found.questions.total(), 0);
    let call = notes(twice.body.ack_token.as_ref(), "A line.");
    let next = agent.continue_workflow(labelled(run, call)).await.unwrap();
    assert!(next.text().contains("answered: write a line"), "{}", next.text());
    assert_eq!(inbox(&machine, &runtime).await.blocked.total(), 0);
}

#[tokio::test]
async fn runs_that_never_stop_are_listed_with_their_critical_gaps() {
    let mut machine = Machine::in_memory();
    machine.set("PITON_AUTONOMY", "full_auto_never_stop");
    machine.write("project/.piton/workflows/plain.json", &two_steps("project.plain"));
    let first = blocked(&machine, "project.plain", " ").await;
    let runtime: Arc<Runtime> = machine.runtime();
    let found = inbox(&machine, &runtime).await;
    let [gapped] = found.gaps.items.as_slice() else { panic!("{found:?}") };
    assert_eq!((gapped.run.run_id, gapped.critical), (first.body.run.run_id, 1));
}

// shows in part: WR-505 (the restart that is needed)
#[tokio::test]
async fn a_setting_that_needs_a_restart_is_in_the_inbox() {
    let machine = Machine::in_memory();
    let runtime = machine.runtime();
    assert_eq!(inbox(&machine, &runtime).await.restart, None);
    machine.write(".config/piton/config.toml", "[http]\nport = 7999\n");
    let found = inbox(&machine, &runtime).await;
    assert!(found.restart.unwrap().restart_needed);
}
