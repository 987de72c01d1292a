//! The guidance for a whole workflow in replies: in full where an agent begins to read, else a reminder.

use piton_workflow::session::Reply;
use serde_json::{Value, json};

use super::samples::{compiled, file, step};
use crate::session::rig::{Rig, ack, body, pending, start, state};

const GUIDANCE: &str = "Keep to the branch {{branch}}, and never rewrite its history.";

fn source() -> Value {
    let mut checked = step("two");
    checked["validationCriteria"] =
        json!({"type": "contains", "value": "risk", "message": "Name a risk."});
    let mut source = file(&json!([step("one"), checked, step("three")]));
    source["metaGuidance"] = json!([
        GUIDANCE,
        "Ask before you delete a file that somebody else wrote, whatever it holds."
    ]);
    source["features"] = json!(["wr.features.memory_context"]);
    source
}

fn prompt(reply: &Reply) -> &str {
    &reply.body.pending.as_ref().expect("a step is pending").prompt
}

/// True for the guidance in full, false for the reminder. There is always exactly one of the two.
fn is_full(reply: &Reply) -> bool {
    let prompt = prompt(reply);
    let (full, reminded) =
        (prompt.contains("Ask before you delete"), prompt.contains("To read it again:"));
    assert_ne!(full, reminded, "{prompt}");
    full
}

// shows: WR-566 (with a_repeated_call_gets_the_same_form_of_the_guidance_on_any_connection)
#[tokio::test]
async fn guidance_is_read_in_full_at_the_start_on_rehydration_and_after_a_fork() {
    let rig = Rig::memory();
    let workflow = compiled(&source());
    let first = rig.start(&workflow).await;
    assert!(is_full(&first));
    let two = rig.notes(&first, "Done.").await;
    assert!(!is_full(&two));
    let call = two.body.pending.as_ref().unwrap().prompt.clone();
    let read = call.split("To read it again: ").nth(1).unwrap().lines().next().unwrap();
    assert!(read.starts_with("continue_workflow { \"stateToken\": \"st-"), "{read}");
    let token = read.split('"').nth(3).unwrap().to_owned();
    let asked = piton_workflow::session::Continue {
        state_token: Some(token),
        ..piton_workflow::session::Continue::default()
    };
    let read = rig.sessions.proceed(asked).await.unwrap();
    assert!(is_full(&read), "the call of the reminder shows it");
    assert_eq!(pending(&read), "two");

    let blocked = rig.notes(&two, "Done.").await;
    assert!(!is_full(&blocked));
    let three = rig.notes(&blocked, "One risk.").await;
    assert!(!is_full(&three));
    let back = rig.sessions.proceed(state(&first)).await.unwrap();
    assert!(is_full(&back));
    let branch = rig.notes(&back, "Done otherwise.").await;
    assert_eq!(pending(&branch), "two");
    assert!(is_full(&branch), "a fork begins anew");
    assert!(!is_full(&rig.notes(&branch, "Another risk.").await));
}

// shows in part: WR-566 (the same reply)
#[tokio::test]
async fn a_repeated_call_gets_the_same_form_of_the_guidance_on_any_connection() {
    let rig = Rig::memory();
    let workflow = compiled(&source());
    let first = rig.start(&workflow).await;
    let two = rig.notes(&first, "Done.").await;
    let back = rig.sessions.proceed(state(&first)).await.unwrap();
    let branch = rig.notes(&back, "Done otherwise.").await;
    let other = rig.again();
    let again = other.sessions.proceed(ack(&first, "Done.", vec![])).await.unwrap();
    assert_eq!(body(&again), body(&two));
    let again = other.sessions.proceed(ack(&back, "Done otherwise.", vec![])).await.unwrap();
    assert_eq!(body(&again), body(&branch));
}

#[tokio::test]
async fn everything_around_the_guidance_stays_and_so_does_guidance_that_is_short() {
    let rig = Rig::memory();
    let workflow = compiled(&source());
    let first = rig.start(&workflow).await;
    let two = rig.notes(&first, "Done.").await;
    assert!(prompt(&two).starts_with("Do two.\n\nThe guidance for"), "{}", prompt(&two));
    assert!(prompt(&two).contains("## Memory"));
    assert!(prompt(&two).contains("Must contain 'risk'"), "{}", prompt(&two));

    let mut short = source();
    short["metaGuidance"] = json!(["Be brief."]);
    let first = rig.start(&compiled(&short)).await;
    let two = rig.notes(&first, "Done.").await;
    assert!(prompt(&two).contains("- Be brief."), "a reminder would be longer");
}

#[tokio::test]
async fn variables_in_the_guidance_are_shown_filled_in() {
    let rig = Rig::memory();
    let workflow = compiled(&source());
    let mut request = start(&workflow);
    request.context.insert("branch".to_owned(), json!("main"));
    let first = rig.sessions.start(request).await.unwrap();
    assert!(prompt(&first).contains("Keep to the branch main"));
    let two = rig.notes(&first, "Done.").await;
    assert!(!is_full(&two));
    assert!(!prompt(&two).contains("Keep to the branch"));
}

#[tokio::test]
async fn a_heading_that_only_some_steps_have_is_the_authors_own() {
    let rig = Rig::memory();
    let mut own = step("two");
    let words = "x".repeat(300);
    own["prompt"] = json!(format!("Look.\n\n## Throughout this workflow\n- {words}"));
    let workflow = compiled(&file(&json!([step("one"), own])));
    let first = rig.start(&workflow).await;
    let two = rig.notes(&first, "Done.").await;
    assert!(prompt(&two).contains(&words));
}
