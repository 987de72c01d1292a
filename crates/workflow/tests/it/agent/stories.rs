//! What becomes of the agent, and what it reads on the way.

use std::collections::BTreeSet;
use std::sync::Arc;

use piton_workflow::builtin_workflows::BuiltinWorkflow;
use piton_workflow::compile::SequenceEntry;

use super::driver::{Story, play, script};
use crate::session::rig::Rig;

/// The whole run in one process, on a store in memory.
async fn played(bundled: BuiltinWorkflow) -> Story {
    let rig = Arc::new(Rig::memory());
    play(&bundled.compiled(), &script(bundled), |_| Arc::clone(&rig)).await
}

// shows: WR-250, WR-251
#[tokio::test]
async fn an_agent_that_fails_at_every_step_gets_to_the_end_by_what_it_is_told() {
    for bundled in BuiltinWorkflow::ALL {
        let workflow = bundled.compiled();
        let story = played(*bundled).await;
        for step in &workflow.steps {
            let is_it = |(done, _): &&(String, _)| done == step.step_id.as_str();
            assert!(story.path.iter().any(|done| is_it(&done)), "{bundled} {}", step.step_id);
        }
        for of in &workflow.loops {
            let again = |(done, turn): &(String, Option<u32>)| {
                let is_it = |entry: &SequenceEntry| matches!(entry, SequenceEntry::Step { step_id } if step_id.as_str() == done);
                *turn == Some(2) && of.body.iter().any(is_it)
            };
            assert!(story.path.iter().any(again), "{bundled}: the loop {} turns", of.loop_id);
        }
        assert_eq!(story.refusals.len(), 2 * story.path.len());
        assert_eq!(story.replies.len(), 3 * story.path.len() + 1);
    }
}

#[tokio::test]
async fn a_run_whose_every_step_is_done_by_another_process_gets_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let bundled = BuiltinWorkflow::Tour;
    let open = |number| Arc::new(Rig::local(dir.path(), number));
    let story = play(&bundled.compiled(), &script(bundled), open).await;
    assert_eq!(story.replies, played(bundled).await.replies, "an agent does not notice");
}

#[tokio::test]
async fn everything_that_a_check_asks_for_is_in_the_text_of_the_refusal() {
    for bundled in BuiltinWorkflow::ALL {
        let story = played(*bundled).await;
        let answered: BTreeSet<_> = story.answered.into_iter().collect();
        for (step, part) in &script(*bundled) {
            for when in part.answers() {
                let asked = (step.clone(), when.clone());
                assert!(answered.contains(&asked), "{bundled} {step}: nobody asked for {when}");
            }
        }
    }
}

#[tokio::test]
async fn what_an_agent_reads_when_it_is_refused() {
    let story = played(BuiltinWorkflow::BugInvestigation).await;
    let mut seen = BTreeSet::new();
    let new = story.refusals.iter().filter(|refusal| seen.insert(*refusal));
    insta::assert_snapshot!(joined(new));
}

#[tokio::test]
async fn what_an_agent_reads_on_the_tour() {
    let story = played(BuiltinWorkflow::Tour).await;
    insta::assert_snapshot!(joined(&story.replies));
}

fn joined<'a>(texts: impl IntoIterator<Item = &'a String>) -> String {
    texts.into_iter().cloned().collect::<Vec<_>>().join("\n\n=====\n\n")
}
