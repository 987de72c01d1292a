//! The agent's output for each step of the tour.

use serde_json::{Value, json};

/// Returns the first output of a hasty agent, which is not enough.
pub(super) fn hasty() -> Value {
    json!({ "notesMarkdown": "Done." })
}

/// Returns an output that satisfies a step; `round` counts the turns of its loop from one.
pub(super) fn output(step: &str, round: u64) -> Value {
    let notes = match step {
        "notes" => "Project: a login page\nSeen: 3 files at its top",
        "refusal" => {
            "Refused: it asked for the lines `Refused:` and `Mended:`\nMended: I wrote them"
        }
        "guess" if round == 1 => {
            "Guess: login.rs asks once\nFound: it leaves trying again to retry.rs"
        }
        "guess" => "Guess: retry.rs tries three times\nFound: it tries once, which is the bug",
        "again" => {
            let decision = if round == 1 { "continue" } else { "stop" };
            let control =
                json!({ "kind": "wr.loop_control", "loopId": "rounds", "decision": decision });
            return json!({ "artifacts": [control] });
        }
        _ => {
            "Checkpoint: before the retry is changed\nGoing back: the later steps stay, on another branch\n\
             Next: wr.bug_investigation"
        }
    };
    json!({ "notesMarkdown": notes })
}
