//! One of the agents.

use std::{
    iter::Sum,
    thread,
    time::{Duration, Instant},
};

use piton_core::port::fixed::SeededEntropy;
use serde_json::{Value, json};

use super::belief::{Beliefs, Place};
use crate::{
    agent::{Agent, is_to_be_repeated},
    rig::Rig,
    tour::next_call,
};

/// The files of the project on which frames are put.
pub(super) const SOURCES: u64 = 5;

/// How many keys an agent has, and how many files in each Workspace.
const PLACES: u64 = 12;

/// How often a call is made before it counts as one that never gets through.
const TRIES_MAX: u32 = 200;

/// The latest moment of a call at which the server is killed.
const KILLED_WITHIN: Duration = Duration::from_millis(20);

/// What an agent did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) calls: u64,
    pub(super) kills: u64,
    pub(super) lost: u64,
    pub(super) repeated: u64,
    pub(super) runs: u64,
    pub(super) writes: u64,
    pub(super) packs: u64,
    pub(super) frames: u64,
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |sum, one| Self {
            calls: sum.calls + one.calls,
            kills: sum.kills + one.kills,
            lost: sum.lost + one.lost,
            repeated: sum.repeated + one.repeated,
            runs: sum.runs + one.runs,
            writes: sum.writes + one.writes,
            packs: sum.packs + one.packs,
            frames: sum.frames + one.frames,
        })
    }
}

/// Result of asking once.
enum Heard {
    /// The result of the call.
    Result(Value),
    /// Somebody was in the way.
    Busy,
    /// Nothing: the server was killed.
    Nothing,
}

/// An agent with a server of its own, and what it knows.
pub(super) struct Worker<'a> {
    rig: &'a Rig,
    name: String,
    luck: SeededEntropy,
    agent: Agent,
    pub(super) beliefs: Beliefs,
    /// The newest answer of its run; nothing before a run begins.
    answer: Option<Value>,
    /// Whether that answer tells the pending step: not after a reply was lost.
    is_sure: bool,
    pub(super) tally: Tally,
}

impl<'a> Worker<'a> {
    pub(super) fn new(rig: &'a Rig, number: u64, seed: u64) -> Self {
        Self {
            rig,
            name: format!("w{number}"),
            luck: SeededEntropy::new(seed.wrapping_add(number)),
            agent: Agent::start(rig),
            beliefs: Beliefs::default(),
            answer: None,
            is_sure: false,
            tally: Tally::default(),
        }
    }

    /// One piece of work, with any of the tool sets.
    pub(super) fn act(&mut self) {
        match self.below(10) {
            0..=2 => self.go_on(),
            3 => self.look_around(),
            4..=6 => self.change(),
            _ => {
                let place = self.place();
                self.check(&place);
            }
        }
    }

    /// Reads every place again, with a server that nobody kills.
    pub(super) fn recall(&mut self) {
        self.restart();
        for place in self.beliefs.places() {
            let (tool, arguments) = reading(&place);
            let found = loop {
                if let Heard::Result(found) = self.ask(tool, &arguments, false) {
                    break found;
                }
            };
            self.beliefs.seen(&place, held(&place, &found));
        }
    }

    pub(super) fn leave(self) {
        self.agent.leave();
    }

    /// The next call of the run, or the first of a new one.
    fn go_on(&mut self) {
        let key = format!("{}-{}", self.name, self.tally.runs);
        let Some((tool, arguments)) = next_call(self.answer.as_ref(), &key) else {
            self.tally.runs += 1;
            self.answer = None;
            return;
        };
        let reply = self.call(tool, &arguments);
        self.is_sure = reply.is_some();
        if let Some(reply) = reply {
            self.answer = Some(expected(tool, reply)["structuredContent"].clone());
        }
    }

    /// Calls that only look.
    fn look_around(&mut self) {
        let node = format!("src/s{}.txt", self.below(SOURCES));
        let (tool, arguments) = match self.below(5) {
            0 => ("grep", json!({ "pattern": "w[0-9] 1", "path": "/scratch" })),
            1 => ("glob", json!({ "pattern": "/review/**/*.txt" })),
            2 => ("keys", json!({ "prefix": self.name })),
            3 => ("compose_context", json!({ "node": node })),
            _ => ("list_workflows", json!({})),
        };
        if let Some(reply) = self.call(tool, &arguments) {
            expected(tool, reply);
        }
    }

    /// Changes a place.
    fn change(&mut self) {
        let place = self.place();
        let text = self.text();
        let known = self.beliefs.certain(&place).map(str::to_owned);
        let (tool, mut arguments, text) = match (&place, known) {
            (Place::File(path), Some(known)) if self.below(4) == 0 && known.len() < 100 => {
                let edited = known.replace(self.name.as_str(), &format!("{}.", self.name));
                let edit = json!({ "path": path, "old_string": known, "new_string": edited });
                ("edit", edit, Some(edited))
            }
            (Place::File(path), Some(_)) if self.below(4) == 0 => {
                ("delete", json!({ "path": path }), None)
            }
            (Place::File(path), _) => {
                ("write", json!({ "path": path, "content": text }), Some(text))
            }
            (Place::Key(key), _) => ("pack", json!({ "key": key, "value": text }), Some(text)),
            (Place::Frame(node, kind), _) => {
                let frame = json!({ "node": node, "frameType": kind, "content": text });
                ("put_frame", frame, Some(text))
            }
        };
        if let Some(run) = self.token() {
            arguments["run"] = json!(run);
        }
        let reply = self.call(tool, &arguments);
        match place {
            Place::File(_) => self.tally.writes += 1,
            Place::Key(_) => self.tally.packs += 1,
            Place::Frame(..) => self.tally.frames += 1,
        }
        match reply {
            Some(reply) => {
                expected(tool, reply);
                self.beliefs.told(&place, text);
            }
            None => self.beliefs.lost(&place, text),
        }
    }

    /// Reads a place and compares.
    fn check(&mut self, place: &Place) {
        let (tool, arguments) = reading(place);
        if let Some(reply) = self.call(tool, &arguments) {
            self.beliefs.seen(place, held(place, &reply));
        }
    }

    fn place(&mut self) -> Place {
        let name = &self.name;
        let which = self.luck.next_u64() % PLACES;
        match self.luck.next_u64() % 5 {
            0 => Place::File(format!("/src/{name}/f{which}.txt")),
            1 => Place::File(format!("/review/{name}/r{which}.txt")),
            2 => Place::File(format!("/scratch/{name}/f{which}.txt")),
            3 => Place::Key(format!("{name}.k{which}")),
            _ => Place::Frame(format!("src/s{}.txt", which % SOURCES), name.clone()),
        }
    }

    /// A text that was never written before; one in twelve is too long to be kept in line.
    fn text(&mut self) -> String {
        let line = format!("{} {}\n", self.name, self.tally.calls);
        if self.below(12) != 0 {
            return line;
        }
        format!("{}{line}", "long ".repeat(20)).repeat(200)
    }

    /// A token of the pending step, in every other call that can have one.
    fn token(&mut self) -> Option<String> {
        let is_asked = self.below(2) == 0 && self.is_sure;
        let answer = self.answer.as_ref().filter(|_| is_asked)?;
        answer["nextCall"]["params"]["ackToken"].as_str().map(str::to_owned)
    }

    fn below(&self, bound: u64) -> u64 {
        self.luck.next_u64() % bound
    }

    /// The result of a call, which is made until it gets through; nothing if the server was killed first.
    fn call(&mut self, tool: &str, arguments: &Value) -> Option<Value> {
        for _ in 0..TRIES_MAX {
            let is_killed = self.below(30) == 0;
            self.tally.calls += 1;
            match self.ask(tool, arguments, is_killed) {
                Heard::Result(result) => return Some(result),
                Heard::Busy => self.tally.repeated += 1,
                Heard::Nothing => return None,
            }
        }
        panic!("{tool} {arguments} does not get through");
    }

    fn ask(&mut self, tool: &str, arguments: &Value, is_killed: bool) -> Heard {
        let began = Instant::now();
        self.agent.ask_tool(tool, arguments);
        if is_killed {
            let share = u32::try_from(self.below(1000)).unwrap();
            let moment = KILLED_WITHIN * share / 1000;
            thread::sleep(moment.saturating_sub(began.elapsed()));
            self.agent.child.kill().unwrap();
            self.agent.child.wait().unwrap();
            self.tally.kills += 1;
        }
        let reply = self.agent.reply();
        if is_killed {
            self.restart();
        }
        let Some(reply) = reply else {
            assert!(is_killed, "the server is gone after {tool} {arguments}");
            self.tally.lost += 1;
            return Heard::Nothing;
        };
        let result = reply.get("result").unwrap_or_else(|| panic!("{tool} {arguments}: {reply}"));
        let told = &result["structuredContent"];
        if result["isError"] == true && is_to_be_repeated(told) {
            let wait = told["retry"]["afterMs"].as_u64().unwrap_or(1);
            thread::sleep(Duration::from_millis(wait.min(1000)));
            return Heard::Busy;
        }
        Heard::Result(result.clone())
    }

    fn restart(&mut self) {
        let _ = self.agent.child.kill();
        let _ = self.agent.child.wait();
        self.agent = Agent::start(self.rig);
    }
}

/// The call that reads a place.
fn reading(place: &Place) -> (&'static str, Value) {
    match place {
        Place::Key(key) => ("unpack", json!({ "key": key })),
        Place::File(path) => ("read", json!({ "path": path })),
        Place::Frame(node, kind) => ("get_context", json!({ "node": node, "types": [kind] })),
    }
}

/// What a place holds, by the result of reading it.
fn held(place: &Place, result: &Value) -> Option<String> {
    let told = &result["structuredContent"];
    if told["code"] == "WORKSPACE_NOT_FOUND" {
        return None;
    }
    assert_ne!(result["isError"], true, "{place:?}: {result}");
    let text = match place {
        Place::Key(_) => told["value"].as_str(),
        Place::Frame(..) => told["frames"][0]["content"].as_str(),
        // The line before the content says how much of the file it is.
        Place::File(_) => {
            let text = result["content"][0]["text"].as_str();
            text.map(|text| text.split_once('\n').map_or("", |(_, content)| content))
        }
    };
    text.map(str::to_owned)
}

/// A result that is none of a refusal.
fn expected(tool: &str, result: Value) -> Value {
    assert_ne!(result["isError"], true, "{tool}: {result}");
    result
}
