//! The demo that the button of the console plays.

use std::fs;

use serde_json::{Value, json};

use crate::{
    console::{Browser, Console, link, waits_until},
    rig::Rig,
    servers::Server,
};

/// Returns the only run, as a list of runs shows it.
fn run(browser: &Browser) -> Value {
    let (status, page) = browser.get("/api/v1/runs");
    assert_eq!((status, &page["total"]), (200, &json!(1)), "{page}");
    page["runs"][0]["run"].clone()
}

/// Returns the question that waits for a person.
fn question(browser: &Browser) -> Option<Value> {
    let (_, inbox) = browser.get("/api/v1/inbox");
    inbox["questions"]["items"].get(0).cloned()
}

fn settle(browser: &Browser, question: &Value, verdict: &str) -> (u16, Value) {
    let session = question["run"]["sessionId"].as_str().unwrap();
    let body = json!({
        "run": question["run"]["runId"], "node": question["nodeId"], "verdict": verdict, "words": "not yet",
    });
    browser.post(&format!("/api/v1/sessions/{session}/settle"), &body)
}

// shows in part: WR-500 (the console plays no run itself: the demo's agent comes over MCP, and a person approves)
#[test]
fn the_demo_is_refused_fixed_approved_and_finished_beside_up_and_leaves_nothing() {
    let rig = Rig::new();
    let server = Server::start(&rig, &[("PITON_HTTP_PORT", "0"), ("PITON_CONSOLE_PORT", "0")]);
    let browser = Browser::enter(&link(&rig));
    let (_, known) = browser.get("/api/v1/demo");
    let (status, played) = browser.post("/api/v1/demo", &json!({}));
    assert_eq!(status, 200, "{played}");
    let session = played["sessionId"].as_str().unwrap().to_owned();

    let (status, second) = browser.post("/api/v1/demo", &json!({}));
    assert_eq!((status, &second["code"]), (503, &json!("STORE_BUSY")), "{second}");
    assert!(second["message"].as_str().unwrap().contains("one at a time"), "{second}");
    let playing = browser.get("/api/v1/demo").1["playing"].clone();
    assert_eq!(playing["sessionId"], played["sessionId"]);

    waits_until("the run asks a person", || question(&browser).is_some());
    assert_eq!(run(&browser)["workflow"]["id"], known["workflowId"]);
    let asked = question(&browser).unwrap();
    assert!(asked["words"].as_str().unwrap().contains("retry.rs"), "{asked}");
    // A no does not end it: the agent goes on waiting.
    assert_eq!(settle(&browser, &asked, "reject").0, 200);
    let run_id = asked["run"]["runId"].as_str().unwrap();
    rig.tells(&["approve", run_id]);
    waits_until("the run is complete", || run(&browser)["status"] == "complete");
    waits_until("the agent is gone", || browser.get("/api/v1/demo").1["playing"].is_null());

    // It was refused once.
    let shown = rig.tells(&["session", "tree", run_id]);
    assert_eq!(
        (&shown["nodes"][0]["blocked"], &shown["nodes"].get(9)),
        (&json!(1), &None),
        "{shown}"
    );
    let (_, backpacks) = browser.get("/api/v1/backpacks");
    assert_eq!(backpacks["backpacks"].as_array().unwrap().len(), 1, "{backpacks}");

    let (status, removed) = browser.post("/api/v1/demo/remove", &json!({ "session": session }));
    assert_eq!((status, &removed["sessionId"]), (200, &json!(session)), "{removed}");
    assert_eq!(browser.get("/api/v1/runs").1["total"], 0);
    assert_eq!(browser.get("/api/v1/backpacks").1["backpacks"], json!([]));
    assert_eq!(fs::read_dir(rig.data().join("demo")).unwrap().count(), 0);
    assert_eq!(server.stop("-TERM"), Some(0));
}

#[test]
fn a_demo_is_removed_while_it_plays_and_another_one_can_follow() {
    let rig = Rig::new();
    let _console = Console::start(&rig);
    let browser = Browser::enter(&link(&rig));
    for _ in 0..2 {
        let (status, played) = browser.post("/api/v1/demo", &json!({}));
        assert_eq!(status, 200, "{played}");
        let body = json!({ "session": played["sessionId"] });
        let (status, removed) = browser.post("/api/v1/demo/remove", &body);
        assert_eq!(status, 200, "{removed}");
        assert!(browser.get("/api/v1/demo").1["playing"].is_null());
    }
    assert_eq!(browser.get("/api/v1/runs").1["total"], 0);
    // Work of others is not removed by one click.
    let tour = rig.tour();
    let (status, refused) =
        browser.post("/api/v1/demo/remove", &json!({ "session": tour.session }));
    assert_eq!(status, 400, "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("not a demo run"), "{refused}");
}
