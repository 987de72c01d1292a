//! A run as one HTML file, as the console sends it.

use piton_runtime::Whereabouts;
use piton_runtime::request::Continue;
use serde_json::{Value, json};

use crate::browser::Machine;

/// A run of `wr.tour` whose agent submitted `notes`; its session and run.
async fn noted(machine: &Machine, notes: &str) -> (String, String) {
    let agent = machine.runtime.connect(Whereabouts::default());
    let start = serde_json::from_value(json!({ "workflowId": "wr.tour", "goal": "see <b>it</b>" }))
        .unwrap();
    let begun = agent.start_workflow(start).await.unwrap().body;
    let call: Continue = serde_json::from_value(
        json!({ "ackToken": begun.ack_token, "output": { "notesMarkdown": notes } }),
    )
    .unwrap();
    agent.continue_workflow(call).await.unwrap();
    (begun.run.session_id.to_string(), begun.run.run_id.to_string())
}

/// Returns the data of a file: what stands between the tags of its one block of JSON.
fn data(html: &str) -> Value {
    let (_, rest) = html.split_once("id=\"piton-run\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

#[tokio::test]
async fn a_run_is_sent_as_a_file_that_no_note_can_break_out_of() {
    let machine = Machine::start().await;
    let hostile = "</script><script>alert(1)</script> <!-- <script> \u{2028}\u{2029} \u{202e}gnp.exe \u{1b}[31m ]]> \
                   and ak-7h2kq9xd-3-0-m3v8c2nq5wp1d6x0 in /home/os-user/shop";
    let (session, run) = noted(&machine, hostile).await;
    let browser = machine.entered().await;
    let reply = browser.get(&format!("/api/v1/sessions/{session}/runs/{run}/file")).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.header("content-disposition"), "attachment");
    assert!(reply.header("content-security-policy").starts_with("sandbox"));
    let html = reply.text();
    // Three elements and no fourth: the data, the script and the style sheet.
    assert_eq!(html.matches("</script>").count(), 2);
    assert_eq!(html.matches("</style>").count(), 1);
    for raw in ["<b>it", "alert(1)</", "\u{2028}", "/home/os-user", "ak-7h2kq9xd"] {
        assert!(!html.contains(raw), "{raw}");
    }
    let data = data(&html);
    assert_eq!(data["sessionId"], session.as_str());
    let all = data["steps"].to_string();
    // Nothing is lost of what may leave: a reader sees what the agent wrote.
    assert!(all.contains("</script><script>alert(1)</script> <!-- <script>"), "{all}");
    assert!(all.contains("[token] in ~/shop"), "{all}");
    let kinds: Vec<&str> = data["omissions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["tokens", "machine_paths"]);
}

#[tokio::test]
async fn a_run_that_is_not_there_is_no_file() {
    let machine = Machine::start().await;
    let (session, _) = noted(&machine, "Looked around.").await;
    let browser = machine.entered().await;
    let (none, other) = ("sess_00000000000000000000000000", "run_00000000000000000000000000");
    let strange = browser.get(&format!("/api/v1/sessions/{session}/runs/{other}/file")).await;
    assert_eq!(strange.status, 400, "{}", strange.text());
    let path = format!("/api/v1/sessions/{none}/runs/{other}/file");
    let reply = browser.get(&path).await;
    assert_eq!(reply.status, 404, "{}", reply.text());
    let stranger = machine.browser().get(&path).await;
    assert_eq!(stranger.status, 401);
}
