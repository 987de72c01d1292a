//! The console while something is wrong: damage, a store that goes away, two persons at once, hostile text.

use std::{fs, path::Path, thread};

use serde_json::{Value, json};

use crate::{
    agent::Agent,
    console::{Browser, Console, link, waits_until},
    rig::{Rig, text},
};

/// A step that waits for a person, and one after it.
const ASKS: &str = r#"{
  "id": "project.merge",
  "name": "Merge",
  "description": "Merges what a person agreed to.",
  "steps": [
    { "id": "merge", "title": "Merge", "prompt": "Merge it.",
      "needsUser": { "reason": "needs_user_approval", "question": "Merge the change?" } },
    { "id": "tell", "title": "Tell", "prompt": "Tell them." }
  ]
}"#;

/// Changes a byte in the middle of the newest record of a session.
fn damage_manifest(sessions: &Path, session: &str) {
    let manifest = sessions.join(session).join("manifest.jsonl");
    let mut bytes = fs::read(&manifest).unwrap();
    let place = bytes.len() - 40;
    bytes[place] ^= 1;
    fs::write(manifest, bytes).unwrap();
}

/// Changes a byte in the middle of the newest segment of a session.
fn damage_segment(sessions: &Path, session: &str) {
    let segments = fs::read_dir(sessions.join(session).join("events")).unwrap();
    let mut segments: Vec<_> = segments.map(|entry| entry.unwrap().path()).collect();
    segments.sort();
    let newest = segments.last().unwrap();
    let mut bytes = fs::read(newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(newest, bytes).unwrap();
}

#[test]
fn a_damaged_session_shows_its_valid_beginning_and_says_how_far_it_goes() {
    for damage in [damage_segment, damage_manifest] {
        shows_its_valid_beginning(damage);
    }
}

fn shows_its_valid_beginning(damage: fn(&Path, &str)) {
    let rig = Rig::new();
    let run = rig.tour();
    let console = Console::start(&rig);
    let browser = Browser::enter(&link(&rig));
    // Without a stream of changes, the index follows in the background.
    let listed = || browser.get("/api/v1/runs").1["runs"][0]["run"]["runId"].clone();
    waits_until("the run is listed", || listed().is_string());
    let run_id = listed().as_str().unwrap().to_owned();
    let path = format!("/api/v1/sessions/{}/runs/{run_id}/shape", run.session);
    let (_, whole) = browser.get(&path);
    assert!(whole["damage"].is_null());
    // A process that has read events does not read them again, so another one sees the damage.
    console.stop();
    damage(&rig.data().join("sessions"), &run.session);
    // What is indexed is not read again either, until it changes or the index is lost.
    fs::remove_dir_all(rig.data().join("index")).unwrap();
    let _console = Console::start(&rig);
    let browser = Browser::enter(&link(&rig));
    let (status, part) = browser.get(&path);
    assert_eq!(status, 200, "{part}");
    let count = |shape: &Value| shape["shape"]["nodes"]["id"].as_array().unwrap().len();
    assert!(count(&part) > 0 && count(&part) < count(&whole), "{part}");
    let damage = &part["damage"];
    assert!(damage["message"].as_str().unwrap().contains("is damaged"), "{damage}");
    assert!(!damage["suggestion"].as_str().unwrap().is_empty(), "{damage}");
    let (status, events) = browser.get(&format!("/api/v1/sessions/{}/events?limit=5", run.session));
    assert_eq!((status, events["events"].as_array().unwrap().len()), (200, 5), "{events}");
    let node = part["shape"]["nodes"]["id"][0].as_str().unwrap();
    let (status, step) =
        browser.get(&format!("/api/v1/sessions/{}/runs/{run_id}/steps/{node}", run.session));
    assert_eq!((status, step["nodeId"].as_str()), (200, Some(node)), "{step}");
    waits_until("the damage is in the inbox", || {
        browser.get("/api/v1/inbox").1["damaged"]["items"][0]["sessionId"] == run.session.as_str()
    });
}

#[test]
fn a_store_that_goes_away_is_reported_and_comes_back_by_itself() {
    let rig = Rig::new();
    let run = rig.tour();
    let _console = Console::start(&rig);
    let browser = Browser::enter(&link(&rig));
    let paths = ["/runs", "/inbox", "/sessions", "/backpacks"].map(|path| format!("/api/v1{path}"));
    let shape = format!("/api/v1/sessions/{}", run.session);
    for path in paths.iter().chain([&shape]) {
        assert_eq!(browser.get(path).0, 200, "{path}");
    }
    let away = rig.home().join("away");
    fs::rename(rig.data(), &away).unwrap();
    let (status, problem) = browser.get("/api/v1/inbox");
    assert!((500..600).contains(&status), "{status} {problem}");
    for field in ["message", "suggestion", "code"] {
        assert!(!problem[field].as_str().unwrap().is_empty(), "{problem}");
    }
    // Whatever is asked for meanwhile gets an answer that a page can show.
    for path in paths.iter().chain([&shape]) {
        let (status, reply) = browser.get(path);
        assert!(status == 200 || !reply["message"].as_str().unwrap().is_empty(), "{path} {reply}");
    }
    fs::rename(&away, rig.data()).unwrap();
    for path in paths.iter().chain([&shape]) {
        waits_until(path, || browser.get(path).0 == 200);
    }
    // What happens from now on is seen.
    let other = rig.tour();
    waits_until("the new run is in the inbox's index", || {
        assert_eq!(browser.get("/api/v1/inbox").0, 200);
        browser.get("/api/v1/runs").1.to_string().contains(&other.session)
    });
}

#[test]
fn of_two_persons_who_decide_at_once_one_is_told_what_the_other_decided() {
    let rig = Rig::new();
    rig.write(".piton/workflows/merge.json", ASKS);
    let mut agent = Agent::start(&rig);
    let start = json!({ "workflowId": "project.merge", "goal": "merge it" });
    let started = agent.call("start_workflow", &start);
    let ack = &started["nextCall"]["params"]["ackToken"];
    let output = json!({ "ackToken": ack, "output": { "notesMarkdown": "May I?" } });
    assert_eq!(agent.call("continue_workflow", &output)["kind"], "blocked");
    let _console = Console::start(&rig);
    let enter = |name: &str| Browser::enter_as(&link(&rig), name);
    let browsers = [enter("Anna"), enter("Bert")];
    let asked = || browsers[0].get("/api/v1/inbox").1["questions"]["items"][0].clone();
    waits_until("the question is there", || asked().is_object());
    let question = asked();
    let session = question["run"]["sessionId"].as_str().unwrap();
    let path = format!("/api/v1/sessions/{session}/settle");
    let verdict = |verdict: &str| {
        json!({
            "run": question["run"]["runId"], "node": question["nodeId"],
            "verdict": verdict, "words": "not today",
        })
    };
    let bodies = [verdict("approve"), verdict("reject")];
    let replies: Vec<(u16, Value)> = thread::scope(|scope| {
        let decide = |(browser, body): (&Browser, &Value)| browser.post(&path, body);
        let both = browsers.iter().zip(&bodies).map(|one| scope.spawn(move || decide(one)));
        let both: Vec<_> = both.collect();
        both.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let won = replies.iter().position(|(status, _)| *status == 200).expect("one of them wins");
    let (status, told) = &replies[1 - won];
    assert!((400..500).contains(status), "{replies:?}");
    let (winner, word) = [("Anna", "approved"), ("Bert", "refused")][won];
    let message = told["message"].as_str().unwrap();
    assert!(message.contains(winner) && message.contains(word), "{message}");
    assert!(!told["suggestion"].as_str().unwrap().is_empty(), "{told}");
    agent.leave();
}

#[test]
fn no_key_cookie_or_secret_is_kept_in_the_data_directory_or_said() {
    let rig = Rig::new();
    rig.tour();
    let console = Console::start(&rig);
    let link = link(&rig);
    let browser = Browser::enter(&link);
    browser.get("/api/v1/runs");
    browser.get("/api/v1/none");
    let key = link.split_once("/#").unwrap().1.to_owned();
    let (_, cookie) = browser.cookie.split_once('=').unwrap();
    // Secrets in a wrong place are not repeated either.
    let (_, refused) = browser.get(&format!("/api/v1/runs?secret={}", browser.secret));
    assert!(!refused.to_string().contains(&browser.secret), "{refused}");
    let heard = console.stop();
    for secret in [key.as_str(), cookie, browser.secret.as_str()] {
        let found = std::process::Command::new("grep")
            .args(["-r", "-l", "-a", secret])
            .arg(rig.home())
            .output()
            .unwrap();
        assert_eq!(text(&found.stdout), "");
        assert!(!heard.contains(secret), "{heard}");
    }
}

/// What agents write may be anything. It is returned as it is, as JSON, and nothing of it becomes markup or a header.
#[test]
fn hostile_notes_are_answered_as_data_within_bounds() {
    let rig = Rig::new();
    let steps: Vec<Value> = (0..4)
        .map(|n| json!({ "id": format!("s{n}"), "title": format!("S{n}"), "prompt": "Write." }))
        .collect();
    let file = json!({ "id": "project.long", "name": "L", "description": "d", "steps": steps });
    rig.write(".piton/workflows/long.json", &file.to_string());
    let mut agent = Agent::start(&rig);
    let hostile = "<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) \
                   \u{202e}evil\u{2066} \u{1b}[31mred\u{1b}]0;title\u{7} </textarea>\r\nSet-Cookie: a=b\n";
    let mut reply =
        agent.call("start_workflow", &json!({ "workflowId": "project.long", "goal": hostile }));
    let large = hostile.repeat(900_000 / hostile.len());
    let many: Vec<Value> =
        (0..64).map(|n| json!({ "kind": "blob", "n": n, "text": "\u{1}".repeat(2_000) })).collect();
    for notes in [hostile, &large, "\u{1}".repeat(100_000).as_str()] {
        let ack = &reply["nextCall"]["params"]["ackToken"];
        let output = json!({ "notesMarkdown": notes, "artifacts": many });
        reply = agent.call("continue_workflow", &json!({ "ackToken": ack, "output": output }));
        assert_eq!(reply["kind"], "ok", "{reply}");
    }
    // Two megabytes are refused, and nothing is recorded. Ten do not even reach the tool.
    let ack = &reply["nextCall"]["params"]["ackToken"];
    let output = json!({ "notesMarkdown": "x".repeat(2 << 20) });
    let refused =
        agent.call_text("continue_workflow", &json!({ "ackToken": ack, "output": output }));
    assert!(refused.1, "{}", &refused.0[..200]);
    agent.leave();
    let _console = Console::start(&rig);
    let browser = Browser::enter(&link(&rig));
    let listed = || browser.get("/api/v1/runs").1["runs"][0]["run"].clone();
    waits_until("the run is listed", || listed().is_object());
    let run = listed();
    let (session, run_id) = (run["sessionId"].as_str().unwrap(), run["runId"].as_str().unwrap());
    let of_run = format!("/api/v1/sessions/{session}/runs/{run_id}");
    let (_, shape) = browser.get(&format!("{of_run}/shape"));
    let nodes = shape["shape"]["nodes"]["id"].as_array().unwrap().clone();
    let mut paths = vec![
        "/api/v1/inbox".to_owned(),
        "/api/v1/runs".to_owned(),
        "/api/v1/search?query=evil".to_owned(),
        format!("/api/v1/sessions/{session}/events?limit=200"),
        format!("{of_run}/blame"),
        format!("{of_run}/recap"),
        format!("{of_run}/drift"),
        format!("{of_run}/pinned"),
        format!("/api/v1/compare?left={run_id}@{}&right={run_id}", nodes[1].as_str().unwrap()),
    ];
    for node in nodes.iter().map(|node| node.as_str().unwrap()) {
        let step = format!("{of_run}/steps/{node}");
        paths.extend([step.clone(), format!("{step}/prompt"), format!("{step}/writes")]);
    }
    for path in &paths {
        let (head, body) = browser.raw(path);
        assert!(
            head.starts_with("HTTP/1.1 200"),
            "{path}: {head} {}",
            &body[..body.len().min(400)]
        );
        assert!(body.len() <= 1 << 20, "{path}: {} bytes", body.len());
        assert!(head.contains("content-type: application/json"), "{path}: {head}");
        assert!(head.contains("x-content-type-options: nosniff"), "{path}: {head}");
        assert_eq!(head.matches("set-cookie").count(), 0, "{path}: {head}");
        // Control characters are escaped, so no terminal that shows a reply obeys them.
        assert!(!body.contains(['\u{1b}', '\u{1}', '\r']), "{path}");
    }
    // What is left out of a step is counted.
    let (_, step) = browser.get(&format!("{of_run}/steps/{}", nodes[1].as_str().unwrap()));
    let outputs = &step["outputs"];
    let shown = outputs["items"].as_array().unwrap().len() as u64;
    assert_eq!(shown + outputs["leftOut"].as_u64().unwrap(), 65, "{}", outputs["leftOut"]);
}
