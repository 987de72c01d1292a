//! What becomes of the agent, and what it reads on the way.

use std::collections::BTreeSet;

use piton_workflow::bundled::Bundled;

use super::driver::{play, script};

#[test]
fn an_agent_that_fails_at_every_step_gets_to_the_end_by_what_it_is_told() {
    for bundled in Bundled::ALL {
        let (workflow, script) = (bundled.compiled(), script(*bundled));
        let story = play(&workflow, &script);
        for step in &workflow.steps {
            let visited = |key: &&String| key.rsplit(':').next() == Some(step.step_id.as_str());
            assert!(story.path.iter().any(|key| visited(&key)), "{bundled} {}", step.step_id);
        }
        for of in &workflow.loops {
            let second = format!("{}@1", of.loop_id);
            let turned = story.path.iter().any(|key| key.contains(&second));
            assert!(turned, "{bundled}: the loop {} has two turns", of.loop_id);
        }
        assert_eq!(story.refusals.len(), 2 * story.path.len());
    }
}

#[test]
fn everything_that_a_check_asks_for_is_in_the_text_of_the_refusal() {
    for bundled in Bundled::ALL {
        let script = script(*bundled);
        let story = play(&bundled.compiled(), &script);
        let answered: BTreeSet<_> = story.answered.into_iter().collect();
        for (step, part) in &script {
            for when in part.answers() {
                let asked = (step.clone(), when.clone());
                assert!(answered.contains(&asked), "{bundled} {step}: nobody asked for {when}");
            }
        }
    }
}

#[test]
fn what_an_agent_reads_when_it_is_refused() {
    let bundled = Bundled::BugInvestigation;
    let story = play(&bundled.compiled(), &script(bundled));
    let mut seen = BTreeSet::new();
    let new = story.refusals.iter().filter(|refusal| seen.insert(*refusal));
    insta::assert_snapshot!(new.cloned().collect::<Vec<_>>().join("\n\n"));
}
