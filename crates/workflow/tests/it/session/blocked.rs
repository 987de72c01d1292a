//! Outputs that are not what their step asks for.

use piton_workflow::projection::{SessionState, status};
use piton_workflow::session::ReplyKind;
use piton_workflow::{BlockerCode, EventKind, RunStatus};
use serde_json::json;

use super::rig::{Rig, pending, strict_step};
use crate::engine::samples::{control, decision, looped, step, workflow};

const GOOD: &str = "```\ncargo test login\n```\nObserved: it fails 3 of 50 times.";

// shows: WR-250, WR-251, WR-289, D10, D27
#[tokio::test]
async fn a_blocked_reply_says_what_is_missing_and_brings_the_token_for_the_next_try() {
    let rig = Rig::memory();
    let compiled = workflow(&[strict_step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let blocked = rig.notes(&first, "done").await;
    assert_eq!(blocked.body.kind, ReplyKind::Blocked);
    assert_eq!(pending(&blocked), "one");
    let report = blocked.body.blockers.as_ref().unwrap();
    assert_eq!(report.blockers()[0].code, BlockerCode::InvalidRequiredOutput);
    assert_ne!(blocked.body.ack_token, first.body.ack_token);
    let session = first.body.run.session_id;
    let state = SessionState::of(&rig.events(session).await);
    assert_eq!(status(&state.runs()[0], false), RunStatus::Blocked);
    insta::assert_snapshot!("blocked_notes", shown(&blocked.text()));

    let second = rig.notes(&blocked, GOOD).await;
    assert_eq!(pending(&second), "two");
    let state = SessionState::of(&rig.events(session).await);
    let run = &state.runs()[0];
    assert_eq!((run.gaps.open().count(), run.gaps.all().len()), (0, 2), "history stays");
    assert_eq!(status(run, false), RunStatus::InProgress);
    let root = run.graph.root().unwrap().id;
    assert_eq!(run.outputs.recap(root), Some(GOOD));
    assert_eq!(run.outputs.at_node(root).len(), 2, "what was submitted first is kept");
}

/// A text without what differs from run to run.
fn shown(text: &str) -> String {
    let token =
        |word: &str| ["ak-", "\"ak-", "st-", "\"st-"].iter().any(|kind| word.starts_with(kind));
    let words = text.split(' ').map(|word| if token(word) { "\"TOKEN\"," } else { word });
    let text = words.collect::<Vec<_>>().join(" ");
    let Some((run, rest)) = text.split_once(" · ") else { return text };
    format!("{} · {rest}", run.replace(run.trim_start_matches("Run "), "some-label"))
}

#[tokio::test]
async fn every_kind_of_finding_can_be_mended_from_its_text() {
    let rig = Rig::memory();
    let review = json!({
        "id": "review", "title": "Review", "prompt": "Review it.",
        "outputContract": {"contractRef": "wr.contracts.review_verdict"},
    });
    let body_of_loop = [step("look"), decision("decide")];
    let compiled = workflow(&[review, looped("rounds", 1, &body_of_loop), step("end")]);
    let first = rig.start(&compiled).await;
    let missing = rig.notes(&first, "Looks fine.").await;
    insta::assert_snapshot!("missing_artifact", shown(&missing.text()));
    let wrong = json!({"kind": "wr.review_verdict", "verdict": "good", "summary": 3});
    let invalid = rig.submit(&missing, "", vec![wrong]).await.unwrap();
    insta::assert_snapshot!("invalid_artifact", shown(&invalid.text()));
    let fix = invalid.body.blockers.as_ref().unwrap().blockers()[0].suggested_fix.clone().unwrap();
    let example = fix.as_str().lines().last().unwrap();
    let example = serde_json::from_str(example).expect("the example is JSON");
    let look = rig.submit(&invalid, "", vec![example]).await.unwrap();
    assert_eq!(pending(&look), "look");
    let silent = rig.notes(&look, "  \n ").await;
    insta::assert_snapshot!("missing_notes", shown(&silent.text()));
    let decide = rig.notes(&silent, "Looked.").await;
    let limit = rig.submit(&decide, "", vec![control("rounds", "continue")]).await.unwrap();
    insta::assert_snapshot!("beyond_the_limit", shown(&limit.text()));
    let side = json!({"kind": "wr.divergence", "reason": "laziness"});
    let stop = control("rounds", "stop");
    let diverged = rig.submit(&limit, "", vec![stop.clone(), side]).await.unwrap();
    insta::assert_snapshot!("invalid_divergence", shown(&diverged.text()));
    let end = rig.submit(&diverged, "", vec![stop]).await.unwrap();
    assert_eq!(pending(&end), "end");
}

#[tokio::test]
async fn the_first_line_of_a_reply_says_the_turns_of_all_loops_around_the_step() {
    let rig = Rig::memory();
    let inner = looped("inner", 3, &[step("work"), decision("again")]);
    let compiled = workflow(&[looped("outer", 5, &[inner, decision("more")])]);
    let work = rig.start(&compiled).await;
    let again = rig.notes(&work, "Worked.").await;
    let stop = rig.submit(&again, "", vec![control("inner", "stop")]).await.unwrap();
    let more = rig.submit(&stop, "", vec![control("outer", "continue")]).await.unwrap();
    let again = rig.notes(&more, "Worked.").await;
    let work = rig.submit(&again, "", vec![control("inner", "continue")]).await.unwrap();
    let text = work.text();
    let head = text.lines().next().unwrap();
    assert!(
        head.contains("step 1 of 3, turn 2 of at most 3, in turn 2 of at most 5 of `outer`: "),
        "{head}"
    );
    assert!(!stop.text().lines().next().unwrap().contains("in turn"), "{}", stop.text());
}

#[tokio::test]
async fn what_artifacts_say_about_capabilities_and_divergence_is_recorded() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let artifacts = vec![
        json!({"kind": "wr.divergence", "reason": "efficiency_skip", "summary": "No callers."}),
        json!({"kind": "wr.capability_observation", "capability": "web_browsing",
               "result": "failure", "failureCode": "tool_missing"}),
    ];
    let second = rig.submit(&first, "Done.", artifacts).await.unwrap();
    assert_eq!(pending(&second), "two");
    let kinds = rig.kinds(first.body.run.session_id).await;
    assert!(kinds.contains(&EventKind::DivergenceRecorded));
    assert!(kinds.contains(&EventKind::CapabilityObserved));
}
