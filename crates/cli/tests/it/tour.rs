//! An agent that takes the tour, call by call.

use serde_json::{Value, json};

/// What the agent submits for the pending step of an answer. One step is refused once, as the tour asks for.
fn output(answer: &Value) -> Value {
    let turn = answer["run"]["turn"].as_u64().unwrap_or_default();
    let notes = match answer["pending"]["stepId"].as_str().unwrap() {
        "notes" => "Project: a sample\nSeen: 3 files",
        "refusal" if answer["kind"] != "blocked" => "All done.",
        "refusal" => "Refused: two lines\nFixed: wrote them",
        "guess" => "Guess: a.txt, a text\nFound: a text",
        "going_back" => "Checkpoint: before a rewrite\nGoing back: they stay\nNext: wr.research",
        _ => {
            let decision = if turn < 2 { "continue" } else { "stop" };
            let artifact =
                json!({ "kind": "wr.loop_control", "loopId": "rounds", "decision": decision });
            return json!({ "artifacts": [artifact] });
        }
    };
    json!({ "notesMarkdown": notes })
}

/// The calls of the whole run, each made of the answer before it; nothing when it is complete.
pub(crate) fn next_call(answer: Option<&Value>, start_key: &str) -> Option<(&'static str, Value)> {
    let Some(answer) = answer else {
        let start = json!({ "workflowId": "wr.tour", "goal": "see it", "startKey": start_key });
        return Some(("start_workflow", start));
    };
    if answer["isComplete"] == true {
        return None;
    }
    let mut call = answer["nextCall"]["params"].clone();
    call["output"] = output(answer);
    Some(("continue_workflow", call))
}
