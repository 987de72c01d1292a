//! Where things come from, forks, and what differs between branches.

use piton_core::Code;
use piton_runtime::provenance::NodeReference;
use piton_runtime::request::Continue;
use serde_json::json;

use crate::rig::{Machine, notes, start, workflow};

fn at(run: &str) -> NodeReference {
    run.parse().unwrap()
}

/// A run of three steps that was rewound to its second and went another way from there.
pub(super) async fn forked() -> (Machine, String) {
    let machine = Machine::in_memory();
    let text = workflow("project.a", &["first", "second", "third"]);
    machine.write("project/.piton/workflows/a.json", &text);
    let agent = machine.agent();
    let first = agent.start_workflow(start("project.a")).await.unwrap().body;
    let run = first.run.run_id.to_string();
    let second =
        agent.continue_workflow(notes(first.ack_token.as_ref(), "Looked.")).await.unwrap().body;
    let mut left = notes(second.ack_token.as_ref(), "Took the left way.\nIt is long.");
    left.context = Some(serde_json::from_value(json!({ "way": "left" })).unwrap());
    agent.continue_workflow(left).await.unwrap();
    let forked = machine.runtime().fork_run(&at(&format!("{run}@second"))).await.unwrap();
    assert!(forked.was_left);
    let state_token = forked.next_call.params.state_token;
    let taken = Continue { state_token, ..Continue::default() };
    let taken = agent.continue_workflow(taken).await.unwrap().body;
    assert!(taken.pending.as_ref().unwrap().prompt.contains("Do second."));
    let mut right = notes(taken.ack_token.as_ref(), "Took the right way.\nIt is long.");
    right.context = Some(serde_json::from_value(json!({ "way": "right" })).unwrap());
    agent.continue_workflow(right).await.unwrap();
    (machine, run)
}

#[tokio::test]
async fn a_fork_writes_nothing_and_says_what_to_call() {
    let (machine, run) = forked().await;
    let runtime = machine.runtime();
    let before = runtime.run_tree(&at(&run).run).await.unwrap();
    let forked = runtime.fork_run(&at(&format!("{run}@first"))).await.unwrap();
    assert_eq!((forked.step.as_str(), forked.title.as_str()), ("first", "Title of first"));
    assert_eq!(forked.next_call.tool, "continue_workflow");
    assert_eq!(runtime.run_tree(&at(&run).run).await.unwrap(), before);
    let refused = runtime.fork_run(&at(&format!("{run}@nowhere"))).await.unwrap_err();
    assert_eq!(refused.code, Code::SessionNotFound);
    assert!(refused.message.contains("has no step `nowhere`"), "{}", refused.message);
}

#[tokio::test]
async fn a_step_is_told_with_the_steps_behind_it_and_what_was_submitted() {
    let (machine, run) = forked().await;
    let blame = machine.runtime().blame_node(&at(&run)).await.unwrap();
    let steps: Vec<_> = blame.chain.iter().map(|link| link.step.as_deref().unwrap()).collect();
    assert_eq!(steps, ["first", "second", "third"]);
    let headlines: Vec<_> = blame.chain.iter().flat_map(|link| &link.outputs).collect();
    assert_eq!(headlines[0].headline.as_deref(), Some("Looked."));
    assert_eq!(headlines[1].headline.as_deref(), Some("Took the right way."));
}

#[tokio::test]
async fn each_line_of_a_recap_is_told_with_the_output_that_it_came_from() {
    let (machine, run) = forked().await;
    let runtime = machine.runtime();
    let blame = runtime.blame_recap(&at(&run)).await.unwrap();
    let chain = runtime.blame_node(&at(&run)).await.unwrap().chain;
    let from = |text: &str| blame.lines.iter().find(|line| line.text == text).unwrap().from;
    assert_eq!(from("## What was done so far"), None);
    assert_eq!(from("Looked.").unwrap().output_id, Some(chain[0].outputs[0].output_id));
    assert_eq!(from("It is long.").unwrap().output_id, Some(chain[1].outputs[0].output_id));
    // The lines of the answer are what an agent reads.
    let agent = machine.agent();
    let state_token = runtime.fork_run(&at(&run)).await.unwrap().next_call.params.state_token;
    let asked = Continue { state_token, ..Continue::default() };
    let prompt = agent.continue_workflow(asked).await.unwrap().body.pending.unwrap().prompt;
    for line in &blame.lines {
        assert!(prompt.contains(&line.text), "{}", line.text);
    }
}
