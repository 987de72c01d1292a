//! Several runs in one connection.

use piton_core::Code;
use piton_runtime::reply::{Reply, ReplyNotice};
use piton_runtime::request::Continue;

use crate::rig::{Machine, labelled, notes, start, two_steps};

/// The line about other open runs.
fn other_runs(reply: &Reply) -> Option<&str> {
    reply.notices.iter().find_map(|notice| match notice {
        ReplyNotice::OtherRuns { message } => Some(message.as_str()),
        _ => None,
    })
}

#[tokio::test]
async fn every_reply_names_the_other_open_runs_beside_the_body() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/a.json", &two_steps("project.a"));
    let agent = machine.agent();
    let a = agent.start_workflow(start("project.a")).await.unwrap();
    assert_eq!(other_runs(&a), None);
    let tour = agent.start_workflow(start("wr.tour")).await.unwrap();
    let label = &a.body.run.label;
    let line = format!("Also open here: {label} (project.a, step 1 of 2).");
    assert_eq!(other_runs(&tour), Some(line.as_str()));

    // The body of a repeated call is the same, whatever is open.
    let alone = machine.agent();
    let state_token = Some(tour.body.state_token.clone());
    let asked = Continue { state_token, ..Continue::default() };
    let here = agent.continue_workflow(asked.clone()).await.unwrap();
    let there = alone.continue_workflow(asked).await.unwrap();
    assert_eq!(here.body, there.body);
    assert!(other_runs(&here).is_some() && other_runs(&there).is_none());
    assert!(!here.text().contains("Also open"));

    let on = labelled(&a.body.run, notes(a.body.ack_token.as_ref(), "x"));
    let next = agent.continue_workflow(on).await.unwrap();
    assert!(ReplyNotice::text_of(&next.notices).unwrap().contains("(wr.tour, step 1 of"));
    let on = labelled(&a.body.run, notes(next.body.ack_token.as_ref(), "x"));
    let done = agent.continue_workflow(on).await.unwrap();
    assert!(done.body.is_complete);
    let state_token = Some(tour.body.state_token.clone());
    let asked = Continue { state_token, ..Continue::default() };
    let after = agent.continue_workflow(asked).await.unwrap();
    assert_eq!(other_runs(&after), None, "a run that is done is not open");
}

#[tokio::test]
async fn many_open_runs_are_counted_rather_than_listed() {
    let machine = Machine::in_memory();
    let agent = machine.agent();
    let mut last = None;
    for _ in 0..8 {
        let reply = agent.start_workflow(start("wr.tour")).await.unwrap();
        last = other_runs(&reply).map(str::to_owned);
    }
    let line = last.unwrap();
    assert_eq!(line.matches("wr.tour").count(), 5, "{line}");
    assert!(line.ends_with(", and 2 more."), "{line}");
}

// shows in part: WR-237 (a label is required)
#[tokio::test]
async fn a_call_without_a_label_is_refused_while_several_runs_are_open() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/a.json", &two_steps("project.a"));
    let agent = machine.agent();
    let a = agent.start_workflow(start("project.a")).await.unwrap().body;
    let tour = agent.start_workflow(start("wr.tour")).await.unwrap().body;
    let call = notes(a.ack_token.as_ref(), "One.");
    let refused = agent.continue_workflow(call.clone()).await.unwrap_err();
    assert_eq!(refused.code, Code::TokenLabelRequired);
    for run in [&a.run, &tour.run] {
        let next = format!("Next for {}: continue_workflow", run.label);
        assert!(refused.suggestion.contains(&next), "{}", refused.suggestion);
    }
    let second = agent.continue_workflow(labelled(&a.run, call)).await.unwrap();
    assert_eq!(second.body.pending.unwrap().prompt, "Do second.");
}
