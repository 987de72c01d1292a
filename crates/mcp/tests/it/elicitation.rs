//! Questions that a run has, put to the person beside the agent.

use piton_mcp::bounds::PERSON_WAIT;
use serde_json::{Value, json};

use crate::rig::{Answer, Machine, Pipe, STATELESS};

/// Revisions in which a server asks while a call goes on.
const ASKING: [&str; 2] = ["2025-06-18", "2025-11-25"];

fn forms() -> Value {
    json!({ "elicitation": {} })
}

fn yes() -> Value {
    json!({ "action": "accept", "content": {} })
}

/// A machine with a workflow whose steps wait for a person, each for a reason of its own.
fn machine(steps: &[Value]) -> Machine {
    let machine = Machine::new();
    let last = json!({ "id": "last", "title": "Last", "prompt": "Do the last." });
    let steps: Vec<&Value> = steps.iter().chain([&last]).collect();
    let asks = json!({ "id": "project.asks", "name": "Asks", "description": "For tests.", "steps": steps });
    machine.write("project/.piton/workflows/asks.json", &asks.to_string());
    machine
}

fn needing(reason: &str, question: &str) -> Value {
    let mut need = json!({ "reason": reason, "question": question });
    if reason == "needs_user_choice" {
        need["choice"] = json!("scope_boundary");
    }
    json!({ "id": "merge", "title": "Merge", "prompt": "Merge it.", "needsUser": need })
}

fn confirmed() -> Value {
    json!({ "id": "drop", "title": "Drop", "prompt": "Drop the table.", "requireConfirmation": true })
}

/// Calls a tool, answers the one question on the way, and returns it with the result of the call.
async fn call_and_say(
    pipe: &mut Pipe,
    tool: &str,
    arguments: Value,
    said: &Value,
) -> (Value, Answer) {
    let id = pipe.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
    let question = pipe.receive().await;
    assert_eq!(question["method"], "elicitation/create", "{question}");
    pipe.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": said })).await;
    let answer = Answer::of(&pipe.reply_to(id).await);
    assert!(pipe.notified.is_empty(), "one question: {:?}", pipe.notified);
    (question["params"].clone(), answer)
}

fn submitting(answer: &Answer) -> Value {
    let token = answer.at("/nextCall/params/ackToken");
    json!({ "ackToken": token, "output": { "notesMarkdown": "Done." } })
}

#[tokio::test]
async fn a_yes_settles_what_the_agent_was_sent_back_for() {
    for revision in ASKING {
        let machine = machine(&[needing("needs_user_approval", "Merge the change?")]);
        let mut pipe = Pipe::that_can(&machine, revision, forms()).await;
        let first = pipe.start("project.asks").await;
        let submit = submitting(&first);
        let (question, blocked) =
            call_and_say(&mut pipe, "continue_workflow", submit.clone(), &yes()).await;
        let message = question["message"].as_str().unwrap();
        for part in [&first.at("/run/label"), "step 1 of 2: Merge", "consent", "Merge the change?"]
        {
            assert!(message.contains(part), "{message}");
        }
        assert_eq!(question["requestedSchema"]["type"], "object");
        assert_eq!(blocked.structured["kind"], "blocked", "the body is what is on record");
        let beside = blocked.beside.clone().unwrap();
        assert!(
            beside.contains("A person approved.\nContinue with the call after `Next:`."),
            "{beside}"
        );

        let repeated = pipe.call("continue_workflow", submit).await;
        assert_eq!(repeated.structured, blocked.structured);
        assert!(pipe.notified.is_empty(), "a repetition asks nobody again");
        let last = pipe.submit(&blocked, "Merged.").await;
        assert_eq!(last.at("/pending/stepId"), "last", "{}", last.text);
    }
}

#[tokio::test]
async fn a_confirmation_is_asked_for_before_the_agent_does_the_step() {
    let machine = machine(&[confirmed()]);
    let mut pipe = Pipe::that_can(&machine, "2025-11-25", forms()).await;
    let start = json!({ "workflowId": "project.asks" });
    let (question, first) = call_and_say(&mut pipe, "start_workflow", start, &yes()).await;
    let message = question["message"].as_str().unwrap();
    assert!(message.contains("confirmation") && message.contains("Drop the table."), "{message}");
    assert!(first.beside.as_ref().unwrap().contains("A person approved."));
    assert!(!first.text.contains("Ask the person"), "they were asked: {}", first.text);
    let state = json!({ "stateToken": first.at("/stateToken") });
    let now = pipe.call("continue_workflow", state).await;
    assert_eq!(now.at("/nextIntent"), "perform_pending_then_continue");
}

#[tokio::test]
async fn a_no_is_recorded_and_the_next_attempt_asks_again() {
    let machine = machine(&[needing("needs_user_approval", "Merge the change?")]);
    let mut pipe = Pipe::that_can(&machine, "2025-11-25", forms()).await;
    let first = pipe.start("project.asks").await;
    let no = json!({ "action": "decline" });
    let submit = submitting(&first);
    let (_, blocked) = call_and_say(&mut pipe, "continue_workflow", submit, &no).await;
    let beside = blocked.beside.clone().unwrap();
    let told = "A person refused: they said no when they were asked.\nDo not continue this run.";
    assert!(beside.contains(told), "{beside}");
    let is_next = |line: &str| line.starts_with("Next");
    assert!(!blocked.text.lines().any(is_next), "it holds the call back: {}", blocked.text);
    assert!(blocked.text.contains("Only after the person allows it: "), "{}", blocked.text);
    let state = json!({ "stateToken": blocked.at("/stateToken") });
    let now = pipe.call("continue_workflow", state).await;
    assert!(now.text.contains("- Merge: refused: they said no"), "{}", now.text);
    let submit = submitting(&blocked);
    let (_, again) = call_and_say(&mut pipe, "continue_workflow", submit, &yes()).await;
    assert_eq!(again.structured["kind"], "blocked");
    assert!(again.text.contains("- Merge: refused: they said no"), "{}", again.text);
    let last = pipe.submit(&again, "Merged.").await;
    assert_eq!(last.at("/pending/stepId"), "last");
    let (no, yes) = (last.text.find("refused"), last.text.find("- Merge: approved"));
    assert!(no.is_some() && no < yes, "the newest is the last: {}", last.text);
}

// Nobody who closes a dialog said anything.
#[tokio::test]
async fn what_is_no_answer_leaves_the_run_as_it_was() {
    let choice = "needs_user_choice";
    for (reason, said) in [
        ("needs_user_approval", json!({ "action": "cancel" })),
        ("needs_user_approval", json!({ "nonsense": true })),
        (choice, json!({ "action": "accept", "content": {} })),
        (choice, json!({ "action": "accept", "content": { "answer": "  " } })),
        (choice, json!({ "action": "accept", "content": { "answer": 5 } })),
    ] {
        let machine = machine(&[needing(reason, "Which?")]);
        let mut pipe = Pipe::that_can(&machine, "2025-11-25", forms()).await;
        let first = pipe.start("project.asks").await;
        let submit = submitting(&first);
        let (_, blocked) = call_and_say(&mut pipe, "continue_workflow", submit, &said).await;
        let beside = blocked.beside.clone().unwrap();
        assert!(beside.contains("did not answer"), "{said}: {beside}");
        let state = json!({ "stateToken": blocked.at("/stateToken") });
        let now = pipe.call("continue_workflow", state).await;
        assert!(!now.text.contains("A person"), "{said}: {}", now.text);
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_who_is_away_is_not_waited_for_without_end() {
    let machine = machine(&[needing("needs_user_approval", "Merge the change?")]);
    let mut pipe = Pipe::that_can(&machine, "2025-11-25", forms()).await;
    let first = pipe.start("project.asks").await;
    let params = json!({ "name": "continue_workflow", "arguments": submitting(&first) });
    let id = pipe.ask("tools/call", params).await;
    assert_eq!(pipe.receive().await["method"], "elicitation/create");
    tokio::time::advance(PERSON_WAIT).await;
    let blocked = Answer::of(&pipe.reply_to(id).await);
    assert!(blocked.beside.unwrap().contains("did not answer"));
}

#[tokio::test]
async fn an_answer_is_recorded_in_their_words_and_a_secret_has_no_field() {
    for (reason, fields, said, part) in [
        ("needs_user_choice", 1, "Keep the old API", "A person answered: Keep the old API."),
        ("needs_user_artifact", 1, "It is in docs/.", "A person answered: It is in docs/."),
        ("needs_user_approval", 1, "After lunch.", "A person answered: After lunch."),
        ("needs_user_environment_action", 1, "", "A person approved."),
        ("needs_user_account_access", 0, "hunter2", "A person approved."),
        ("needs_user_secret_or_token", 0, "hunter2", "A person approved."),
    ] {
        let machine = machine(&[needing(reason, "Which?")]);
        let mut pipe = Pipe::that_can(&machine, "2025-11-25", forms()).await;
        let first = pipe.start("project.asks").await;
        let said = json!({ "action": "accept", "content": { "answer": said } });
        let submit = submitting(&first);
        let (question, blocked) = call_and_say(&mut pipe, "continue_workflow", submit, &said).await;
        let found = question["requestedSchema"]["properties"].as_object().unwrap().len();
        assert_eq!(found, fields, "{reason}: {question}");
        let beside = blocked.beside.clone().unwrap();
        let told = format!("{part}\nContinue with the call after `Next:`.");
        assert!(beside.contains(&told) && !beside.contains("hunter2"), "{reason}: {beside}");
        let last = pipe.submit(&blocked, "Done.").await;
        assert_eq!(last.at("/pending/stepId"), "last");
        // It is reported with the next call and to whoever asks later.
        let told = part.replace("A person ", "- Merge: ");
        let told = told.strip_suffix('.').unwrap();
        let state = json!({ "stateToken": last.at("/stateToken") });
        let later = pipe.call("continue_workflow", state).await;
        for text in [&last.text, &later.text] {
            assert!(text.contains(told) && !text.contains("hunter2"), "{reason}: {text}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_recorded_is_said_and_the_call_is_answered_all_the_same() {
    let machine = machine(&[needing("needs_user_choice", "Which?")]);
    let mut pipe = Pipe::that_can(&machine, "2025-11-25", forms()).await;
    let first = pipe.start("project.asks").await;
    let said = json!({ "action": "accept", "content": { "answer": "x".repeat(5000) } });
    let submit = submitting(&first);
    let (_, blocked) = call_and_say(&mut pipe, "continue_workflow", submit, &said).await;
    let beside = blocked.beside.unwrap();
    assert!(beside.contains("could not be recorded") && beside.len() < 2000, "{beside}");
}

#[tokio::test]
async fn a_client_that_shows_no_forms_gets_the_answer_alone() {
    for (revision, can) in [
        ("2025-11-25", json!({})),
        ("2025-11-25", json!({ "elicitation": { "url": {} } })),
        (STATELESS, json!({})),
    ] {
        let machine = machine(&[needing("needs_user_approval", "Merge the change?")]);
        let mut pipe = Pipe::that_can(&machine, revision, can).await;
        let first = pipe.start("project.asks").await;
        let blocked = pipe.submit(&first, "Done.").await;
        assert_eq!(blocked.structured["kind"], "blocked");
        assert!(pipe.notified.is_empty(), "{:?}", pipe.notified);
        assert!(!blocked.beside.unwrap_or_default().contains("asked"));
    }
}

/// Makes a call that ends with a question, and repeats it with what the person said.
async fn repeat_and_say(pipe: &mut Pipe, tool: &str, arguments: Value, said: &Value) -> Answer {
    let params = json!({ "name": tool, "arguments": arguments });
    let asked = pipe.request("tools/call", params.clone()).await;
    let result = &asked["result"];
    assert_eq!(result["resultType"], "input_required", "{asked}");
    let question = &result["inputRequests"]["person"];
    assert_eq!(question["method"], "elicitation/create", "{asked}");
    assert!(question["params"]["message"].as_str().unwrap().contains("project.asks"));
    let mut again = params;
    again["inputResponses"] = json!({ "person": said });
    again["requestState"] = result["requestState"].clone();
    Answer::of(&pipe.request("tools/call", again).await)
}

#[tokio::test]
async fn without_a_handshake_the_call_ends_with_the_question_and_its_repetition_brings_the_answer()
{
    let machine = machine(&[needing("needs_user_approval", "Merge the change?")]);
    let mut pipe = Pipe::that_can(&machine, STATELESS, forms()).await;
    let first = pipe.start("project.asks").await;
    let submit = submitting(&first);
    let no = json!({ "action": "decline" });
    let blocked = repeat_and_say(&mut pipe, "continue_workflow", submit, &no).await;
    assert_eq!(blocked.structured["kind"], "blocked");
    assert!(blocked.beside.as_ref().unwrap().contains("A person refused"));
    let submit = submitting(&blocked);
    let again = repeat_and_say(&mut pipe, "continue_workflow", submit, &yes()).await;
    assert!(again.beside.as_ref().unwrap().contains("A person approved."));
    assert_eq!(pipe.submit(&again, "Merged.").await.at("/pending/stepId"), "last");
}

#[tokio::test]
async fn the_repetition_of_a_start_starts_nothing_again() {
    let machine = machine(&[confirmed()]);
    let mut pipe = Pipe::that_can(&machine, STATELESS, forms()).await;
    let start = json!({ "workflowId": "project.asks" });
    let first = repeat_and_say(&mut pipe, "start_workflow", start.clone(), &yes()).await;
    assert_eq!(first.at("/nextIntent"), "perform_pending_then_continue", "{}", first.text);
    assert!(first.beside.as_ref().unwrap().contains("A person approved."));
    let found = pipe.call("resume_session", json!({})).await;
    assert_eq!(found.structured["candidates"].as_array().unwrap().len(), 1, "there is one run");

    let mut forged = json!({ "name": "start_workflow", "arguments": start });
    forged["inputResponses"] = json!({ "person": yes() });
    forged["requestState"] = json!("nonsense");
    let refused = Answer::of(&pipe.request("tools/call", forged).await);
    assert_eq!(refused.code(), "TOKEN_INVALID_FORMAT");
}
