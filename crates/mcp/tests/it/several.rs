//! Several workflows in one chat.

use serde_json::json;

use crate::rig::{Machine, Pipe};

// shows: WR-494 (crossed tokens), WR-562
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
