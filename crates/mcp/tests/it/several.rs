//! Several workflows in one chat.

use serde_json::json;

use crate::rig::{Machine, Pipe, Web};

// shows: WR-562
// shows in part: WR-494 (crossed tokens)
#[tokio::test]
async fn crossed_tokens_are_refused_before_any_write_and_the_refusal_names_both_runs() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let one = pipe.start("project.plain").await;
    let other = pipe.start("wr.tour").await;
    let crossed = json!({
        "ackToken": one.at("/ackToken"),
        "stateToken": other.at("/stateToken"),
        "output": { "notesMarkdown": "One." },
    });
    let refused = pipe.call("continue_workflow", crossed).await;
    assert_eq!(refused.code(), "TOKEN_SCOPE_MISMATCH");
    for run in [&one, &other] {
        assert!(refused.text.contains(&run.at("/run/label")), "{}", refused.text);
        let state = json!({ "stateToken": run.at("/stateToken") });
        let now = pipe.call("continue_workflow", state).await;
        assert_eq!(now.structured["ackToken"], run.structured["ackToken"], "nothing was recorded");
    }
    assert!(refused.text.contains(&one.at("/nextCall/params/ackToken")), "{}", refused.text);
}

// shows: WR-563
#[tokio::test]
async fn over_http_a_label_is_checked_when_it_is_sent_and_every_next_call_carries_it() {
    let machine = Machine::new();
    let mut web = Web::of_revision(machine.runtime(), "2025-11-25").await;
    let start = json!({ "workflowId": "wr.tour" });
    let one = web.call("start_workflow", start.clone()).await;
    let other = web.call("start_workflow", start).await;
    for run in [&one, &other] {
        let label = format!("\"label\": \"{}\"", run.at("/run/label"));
        assert_eq!(
            run.text.matches(&label).count(),
            2,
            "to bookmark and to continue: {}",
            run.text
        );
    }
    let call = |label: Option<String>| {
        let output = json!({ "notesMarkdown": "Project: a sample\nSeen: 3 files" });
        json!({ "ackToken": one.at("/ackToken"), "label": label, "output": output })
    };
    let mut crossed = call(Some(other.at("/run/label")));
    let refused = web.call("continue_workflow", crossed.clone()).await;
    assert_eq!(refused.code(), "TOKEN_SCOPE_MISMATCH");
    for run in [&one, &other] {
        assert!(refused.text.contains(&run.at("/nextCall/params/ackToken")), "{}", refused.text);
        assert!(refused.text.contains(&run.at("/run/label")), "{}", refused.text);
    }
    crossed.as_object_mut().unwrap().remove("label");
    let bare = web.call("continue_workflow", crossed).await;
    assert_eq!(bare.at("/pending/stepId"), "refusal", "nothing was written before: {}", bare.text);
    let again = web.call("continue_workflow", call(Some(one.at("/run/label")))).await;
    assert_eq!(again.structured, bare.structured, "a replay with it is the one without");
    web.stop().await;
}

#[tokio::test]
async fn a_reply_names_the_other_open_runs_beside_its_body() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let one = pipe.start("project.plain").await;
    assert!(!one.beside.unwrap().contains("Also open"));
    let other = pipe.start("project.plain").await;
    let beside = other.beside.clone().unwrap();
    assert!(beside.contains("Also open here") && !other.text.contains("Also open"), "{beside}");
    assert!(beside.contains(one.structured["run"]["label"].as_str().unwrap()), "{beside}");
    let elsewhere = Pipe::at(&machine).await.start("project.plain").await;
    assert!(!elsewhere.beside.unwrap().contains("Also open"), "another chat is another chat");
}
