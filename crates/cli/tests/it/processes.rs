//! Agents in processes of their own, and a person beside them, on one data directory.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use serde_json::{Value, json};

use crate::{
    agent::{Agent, is_to_be_repeated},
    rig::Rig,
};

/// What each client goes by. The last two are two clients in one run.
const CLIENTS: [&str; 8] = ["k0", "k1", "k2", "k3", "k4", "k5", "shared", "shared"];

fn title(place: u64) -> String {
    format!("Step {place}")
}

fn notes(key: &str, title: &str) -> String {
    format!("{key}: {title} is done.")
}

/// A workflow of plain steps.
fn workflow(steps: u64) -> String {
    let step = |place: u64| json!({ "id": format!("s{place}"), "title": title(place), "prompt": "Do it." });
    let steps: Vec<Value> = (1..=steps).map(step).collect();
    json!({ "id": "project.many", "name": "Many", "description": "For tests.", "steps": steps })
        .to_string()
}

/// Calls until the call is not refused because of somebody else; returns how often it was.
fn insist(agent: &mut Agent, tool: &str, arguments: &Value) -> (Value, u64) {
    let mut refused = 0;
    loop {
        let answer = agent.call(tool, arguments);
        if !is_to_be_repeated(&answer) {
            assert!(answer.get("code").is_none(), "{tool}: {answer}");
            return (answer, refused);
        }
        refused += 1;
        thread::yield_now();
    }
}

/// Takes a run from its start to its end; returns how often somebody else was in the way.
fn work(rig: &Rig, key: &str) -> u64 {
    let mut agent = Agent::start(rig);
    let start = json!({ "workflowId": "project.many", "goal": key, "startKey": key });
    let (mut answer, mut refused) = insist(&mut agent, "start_workflow", &start);
    while answer["isComplete"] == false {
        let title = answer["pending"]["title"].as_str().unwrap();
        let token = &answer["nextCall"]["params"]["ackToken"];
        let output = json!({ "notesMarkdown": notes(key, title) });
        let on = json!({ "ackToken": token, "output": output });
        let (next, more) = insist(&mut agent, "continue_workflow", &on);
        refused += more;
        answer = next;
    }
    agent.leave();
    refused
}

/// Lists and cleans while others work; returns how often.
fn look_on(rig: &Rig, is_over: &AtomicBool) -> u64 {
    let mut rounds = 0;
    while !is_over.load(Ordering::Relaxed) || rounds == 0 {
        let listed = rig.tells(&["session", "list"]);
        assert!(listed.get("troubled").is_none(), "{listed}");
        let cleaned = rig.tells(&["session", "gc"]);
        assert_eq!(cleaned["removed"], json!([]), "{cleaned}");
        assert_eq!(cleaned["safeMode"], false, "{cleaned}");
        rounds += 1;
    }
    rounds
}

/// Holds every run to what its client submitted.
fn check(rig: &Rig, steps: u64) {
    let listed = rig.tells(&["session", "list"]);
    let mut goals: BTreeMap<String, String> = BTreeMap::new();
    for run in listed["runs"].as_array().unwrap() {
        assert_eq!(run["status"], "complete", "{run}");
        let (key, session) = (run["title"].as_str().unwrap(), run["sessionId"].as_str().unwrap());
        assert_eq!(rig.tells(&["session", "verify", session])["isSound"], true);
        let shown = rig.tells(&["session", "show", session]);
        let found: Vec<(String, String)> = shown["runs"][0]["steps"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|step| {
                let text = |name: &str| step[name].as_str().map(str::to_owned);
                Some((text("title")?, text("notes")?))
            })
            .collect();
        let expected: Vec<(String, String)> =
            (1..=steps).map(|place| (title(place), notes(key, &title(place)))).collect();
        assert_eq!(found, expected, "{key}: each step once, in order");
        assert_eq!(run["tips"], 1, "{key}: nobody forked");
        assert!(goals.insert(key.to_owned(), session.to_owned()).is_none(), "{key}: one run");
    }
    let mut keys = CLIENTS.to_vec();
    keys.dedup();
    assert_eq!(goals.keys().map(String::as_str).collect::<Vec<_>>(), keys);
    // What takes the lock of a session for itself gets it: nobody left one behind.
    for session in goals.values() {
        rig.tells(&["session", "delete", session, "--yes"]);
    }
}

mod long {
    use piton_store::testing::LongRun;

    use super::*;

    // shows in part: WR-256 (two processes with the same tokens)
    #[test]
    fn eight_clients_lose_no_step_while_a_person_lists_and_cleans() {
        let run = LongRun::start("mcp: 8 clients in 8 processes, list and gc beside them");
        println!("{run}");
        let steps = LongRun::size(8, 200);
        let rig = Rig::new();
        rig.write(".piton/workflows/many.json", &workflow(steps));
        let is_over = AtomicBool::new(false);
        let (refused, rounds) = thread::scope(|scope| {
            let looking = scope.spawn(|| look_on(&rig, &is_over));
            let working = CLIENTS.map(|key| {
                let rig = &rig;
                scope.spawn(move || work(rig, key))
            });
            let refused: Vec<_> = working.into_iter().map(thread::ScopedJoinHandle::join).collect();
            is_over.store(true, Ordering::Relaxed);
            let rounds = looking.join().unwrap();
            (refused.into_iter().map(Result::unwrap).sum::<u64>(), rounds)
        });
        check(&rig, steps);
        let counts = [
            ("clients", CLIENTS.len() as u64),
            ("steps of each", steps),
            ("calls that had to be repeated", refused),
            ("rounds of list and gc", rounds),
        ];
        println!("{counts:?}");
        run.report(&counts);
    }
}
