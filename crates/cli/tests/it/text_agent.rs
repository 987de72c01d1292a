//! An agent that knows nothing but the text that it reads: instructions, descriptions of tools, replies.
//!
//! It is a client in which a model reads, so it gets no structured content. Whatever it sends as a token, a label or a
//! workflow it has read before, letter by letter; and everything that it reads must speak of nothing that it cannot
//! see.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use serde_json::{Map, Value, json};

use crate::{agent::Agent, rig::Rig};

/// The parameters whose values an agent must have read, rather than made up.
const COPIED: [&str; 5] = ["ackToken", "stateToken", "checkpointToken", "label", "workflowId"];

/// The bundled workflows, each with what somebody who does its steps would write.
const SCRIPTS: [(&str, &str); 6] = [
    ("wr.tour", include_str!("../../../workflow/tests/it/agent/data/tour.json")),
    (
        "wr.bug_investigation",
        include_str!("../../../workflow/tests/it/agent/data/bug_investigation.json"),
    ),
    ("wr.code_review", include_str!("../../../workflow/tests/it/agent/data/code_review.json")),
    ("wr.documentation", include_str!("../../../workflow/tests/it/agent/data/documentation.json")),
    (
        "wr.feature_implementation",
        include_str!("../../../workflow/tests/it/agent/data/feature_implementation.json"),
    ),
    ("wr.research", include_str!("../../../workflow/tests/it/agent/data/research.json")),
];

/// Tools of clients that start subagents: whoever has one knows it.
const TOOLS_OF_CLIENTS: [&str; 1] = ["runSubagent"];

/// The agent, and what it has read.
struct Reader {
    agent: Agent,
    read: String,
    /// The names of all parameters, as the schemas of the tools have them.
    parameters: BTreeSet<String>,
    /// Why something that it read does not hold.
    faults: Vec<String>,
}

impl Reader {
    fn start(rig: &Rig) -> Self {
        let config = rig.home().join(".config/piton");
        fs::create_dir_all(&config).unwrap();
        fs::write(config.join("config.toml"), "[mcp]\nanswers = \"text\"\n").unwrap();
        let mut agent = Agent::start(rig);
        agent.ask("tools/list", &json!({}));
        let listed = agent.reply().unwrap()["result"]["tools"].clone();
        let mut parameters = BTreeSet::new();
        for tool in listed.as_array().unwrap() {
            names(&tool["inputSchema"], &mut parameters);
        }
        let instructions = agent.instructions.clone();
        let mut reader = Self { agent, read: String::new(), parameters, faults: Vec::new() };
        reader.take_in(&instructions, &json!({}));
        for tool in listed.as_array().unwrap() {
            reader.take_in(tool["description"].as_str().unwrap(), &json!({}));
        }
        reader
    }

    /// Makes a call with values that were read, and reads what it says.
    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        for name in COPIED {
            if let Some(value) = arguments[name].as_str() {
                assert!(self.read.contains(value), "{tool}: nobody told `{name}` {value}");
            }
        }
        self.call_blindly(tool, arguments)
    }

    /// Makes a call whose values may be made up.
    fn call_blindly(&mut self, tool: &str, arguments: &Value) -> String {
        self.agent.ask_tool(tool, arguments);
        let reply = self.agent.reply().expect("the server answers");
        let result = &reply["result"];
        assert!(result.get("structuredContent").is_none() || result["isError"] == true, "{reply}");
        let blocks = result["content"].as_array().unwrap_or_else(|| panic!("no content: {reply}"));
        let text: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        let text = text.join("\n");
        self.take_in(&text, arguments);
        self.count_next_calls(tool, &text);
        text
    }

    /// Looks whether a reply about one run names one next call: an agent that obeys cannot choose among several.
    fn count_next_calls(&mut self, tool: &str, text: &str) {
        let count = text.lines().filter(|line| line.trim_start().starts_with("Next:")).count();
        let is_pending = text.starts_with("Run ")
            && !text.contains("· done.")
            && !text.contains("Only after the person allows it:");
        let is_right = match tool {
            // Several runs may be found, each with a call of its own.
            "resume_session" => true,
            _ if is_pending => count == 1,
            _ => count <= 1,
        };
        if !is_right {
            self.faults.push(format!("{count} times `Next:` in:\n{text}"));
        }
    }

    /// Reads a text, and looks whether it speaks of anything that cannot be seen.
    fn take_in(&mut self, text: &str, sent: &Value) {
        self.read.push_str(text);
        self.read.push('\n');
        for word in words(text) {
            // A key of an example, or a field of an artifact with what it takes.
            let forms = ["\"{}\"", "{}:", "{}?:", "{} (optional)"];
            let is_shown = forms.map(|form| form.replace("{}", word));
            let is_seen = self.parameters.contains(word)
                || is_shown.iter().any(|shown| text.contains(shown))
                || sent.get(word).is_some()
                || TOOLS_OF_CLIENTS.contains(&word);
            if !is_seen {
                self.faults
                    .push(format!("`{word}` is neither a parameter nor in this text:\n{text}"));
            }
            let is_token = word.ends_with("Token") && sent.get(word).is_none();
            if is_token && !self.read.contains(&format!("\"{word}\": \"")) && text.contains("Run ")
            {
                self.faults
                    .push(format!("no `{word}` was ever shown, but this names one:\n{text}"));
            }
        }
    }

    /// Starts a workflow and returns its first step.
    fn begin(&mut self, workflow: &str) -> String {
        self.call("list_workflows", &json!({}));
        self.call("start_workflow", &json!({ "workflowId": workflow, "goal": "try it" }))
    }

    /// Makes the next call of `text`, with `output` where it takes one.
    fn go_on(&mut self, text: &str, output: &Value) -> String {
        let (tool, mut arguments) =
            next_call(text).unwrap_or_else(|| panic!("there is no next call in:\n{text}"));
        if arguments.contains_key("ackToken") {
            arguments.insert("output".to_owned(), output.clone());
        }
        self.call(&tool, &Value::Object(arguments))
    }

    /// Does steps until the run is done, with what `answers` has for what a reply asks for.
    fn finish(&mut self, first: String, answers: &[(String, String)]) {
        let mut reply = first;
        let mut notes = Vec::new();
        for _ in 0..200 {
            if reply.contains("· done.") {
                assert!(self.faults.is_empty(), "{}", self.faults.join("\n\n"));
                return;
            }
            if !reply.contains("is not finished") {
                notes = vec!["Looked at it.".to_owned()];
            }
            // A refusal lists what is missing; what was written before stays.
            let asked = answers.iter().filter(|(when, _)| reply.contains(when.as_str()));
            notes.extend(asked.map(|(_, answer)| answer.clone()));
            notes.extend(lines_asked_for(&reply, answers));
            let output = output_for(&reply, &notes);
            reply = self.go_on(&reply, &output);
        }
        panic!("it does not end:\n{reply}");
    }
}

/// A line for each `` `Name: …` `` that a refusal asks for and nobody prepared an answer to.
fn lines_asked_for(reply: &str, answers: &[(String, String)]) -> Vec<String> {
    let is_known = |asked: &str| answers.iter().any(|(when, _)| when.contains(asked));
    let quoted = reply.split('`').skip(1).step_by(2);
    let names = quoted.filter(|asked| !is_known(asked)).filter_map(|asked| asked.strip_suffix('…'));
    names
        .filter(|name| name.ends_with(": "))
        .map(|name| format!("{}as asked", name.replace('…', "1")))
        .collect()
}

/// What somebody submits who read only `reply` and has written `notes`.
fn output_for(reply: &str, notes: &[String]) -> Value {
    let example = reply.lines().map(str::trim_start).find(|line| line.starts_with("{\""));
    let artifact = example.and_then(|line| serde_json::from_str::<Value>(line).ok());
    let mut output = json!({ "notesMarkdown": notes.join("\n") });
    if let Some(mut artifact) = artifact {
        if artifact.get("decision").is_some() {
            artifact["decision"] = json!("stop");
        }
        output["artifacts"] = json!([artifact]);
    }
    output
}

/// The last call that a text names, without its output.
fn next_call(text: &str) -> Option<(String, Map<String, Value>)> {
    let line = text.lines().rev().map(str::trim).find(|line| line.starts_with("Next"))?;
    call_in(line)
}

fn call_in(line: &str) -> Option<(String, Map<String, Value>)> {
    let (_, call) = line.split_once(": ")?;
    let (tool, parameters) = call.split_once(" {")?;
    let mut found = Map::new();
    for name in COPIED {
        if let Some((_, rest)) = parameters.split_once(&format!("\"{name}\": \"")) {
            found.insert(name.to_owned(), json!(rest.split_once('"')?.0));
        }
    }
    Some((tool.to_owned(), found))
}

/// The words of a text that are written as fields are: `nextCall`, and the parts of `pending.prompt`.
fn words(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.:/".contains(c);
    let mut found = BTreeSet::new();
    for word in text.split(|c: char| !is_part(c)) {
        let word = word.trim_end_matches(['.', ':']);
        let plain = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic());
        let is_camel = |word: &str| {
            plain(word)
                && word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.contains(|c: char| c.is_ascii_uppercase())
        };
        found.extend(word.split('.').filter(|part| word.split('.').all(plain) && is_camel(part)));
    }
    if text.contains("`pending.prompt`") {
        found.insert("pending.prompt");
    }
    found
}

/// The names of all properties of a schema.
fn names(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                if name == "properties" {
                    found.extend(value.as_object().into_iter().flat_map(|it| it.keys().cloned()));
                }
                names(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        _ => {}
    }
}

fn answers(script: &str) -> Vec<(String, String)> {
    let script: BTreeMap<String, Value> = serde_json::from_str(script).unwrap();
    let parts = script.values().filter_map(|part| part["answers"].as_object());
    let pairs = parts.flat_map(|answers| answers.iter());
    pairs.map(|(when, answer)| (when.clone(), answer.as_str().unwrap().to_owned())).collect()
}

// shows: WR-564
#[test]
fn every_bundled_workflow_can_be_done_by_whoever_reads_only_text() {
    for (workflow, script) in SCRIPTS {
        let rig = Rig::new();
        let mut reader = Reader::start(&rig);
        let first = reader.begin(workflow);
        reader.finish(first, &answers(script));
        reader.agent.leave();
    }
}

const MERGE: &str = r#"{
  "id": "project.merge",
  "name": "Merge",
  "description": "Merges what a person agreed to.",
  "steps": [
    {
      "id": "merge",
      "title": "Merge the change",
      "prompt": "Merge it.",
      "needsUser": { "reason": "needs_user_approval", "question": "Merge the change?" }
    },
    { "id": "tell", "title": "Tell", "prompt": "Tell them.", "requireConfirmation": true }
  ]
}"#;

fn merging() -> (Rig, Reader) {
    let rig = Rig::new();
    rig.write(".piton/workflows/merge.json", MERGE);
    let reader = Reader::start(&rig);
    (rig, reader)
}

#[test]
fn who_is_sent_to_a_person_can_read_what_they_said_and_continue() {
    let (rig, mut reader) = merging();
    let first = reader.begin("project.merge");
    let blocked = reader.go_on(&first, &json!({ "notesMarkdown": "Merged." }));
    assert!(blocked.contains("piton approve"), "{blocked}");
    let read = blocked.lines().find(|line| line.starts_with("Read: ")).expect("how to look");
    let (tool, arguments) = call_in(read).unwrap();
    let label = arguments["label"].as_str().unwrap().to_owned();
    rig.says(&["reject", &label, "not before Monday"]);
    let stands = reader.call(&tool, &Value::Object(arguments.clone()));
    assert!(stands.contains("not before Monday"), "{stands}");
    rig.says(&["answer", &label, "now is fine"]);
    let stands = reader.call(&tool, &Value::Object(arguments));
    assert!(stands.contains("now is fine"), "{stands}");
    reader.finish(stands, &[]);
}

#[test]
fn whoever_never_stops_reads_what_is_missing_and_continues() {
    let (rig, mut reader) = merging();
    rig.tells(&["prefs", "set", "--autonomy", "full_auto_never_stop"]);
    let first = reader.begin("project.merge");
    let second = reader.go_on(&first, &json!({ "notesMarkdown": "Merged." }));
    assert!(second.contains("recorded as missing"), "{second}");
    reader.finish(second, &[]);
}

// shows: WR-564
/// Each wrong call is followed by what its reply says, and the run still reaches its end.
#[test]
fn every_refused_token_leads_back_to_the_run_by_its_text_alone() {
    let elsewhere = {
        let (_rig, mut reader) = merging();
        let first = reader.begin("project.merge");
        next_call(&first).unwrap().1["ackToken"].as_str().unwrap().to_owned()
    };
    let cut = |token: &str| token[..token.len() - 3].to_owned();
    let output = json!({ "notesMarkdown": "Done." });
    for case in 0..9 {
        let (rig, mut reader) = merging();
        rig.tells(&["prefs", "set", "--autonomy", "full_auto_never_stop"]);
        let first = reader.begin("project.merge");
        let (_, next) = next_call(&first).unwrap();
        let bookmark = first.lines().find(|line| line.starts_with("Bookmark: ")).unwrap();
        let bookmark = call_in(bookmark).unwrap().1["checkpointToken"].clone();
        let (ack, label) = (next["ackToken"].as_str().unwrap(), next.get("label"));
        let wrong = match case {
            0 => json!({ "ackToken": cut(ack), "output": output }),
            1 => json!({ "ackToken": "made up", "output": output }),
            2 => json!({ "ackToken": elsewhere, "output": output }),
            3 => json!({ "stateToken": ack }),
            4 => json!({ "ackToken": bookmark, "output": output }),
            5 => json!({ "output": output, "label": label }),
            6 => json!({ "ackToken": ack, "label": "amber-acorn", "output": output }),
            7 => json!({ "ackToken": "st.v1.YQ.YQ", "output": output }),
            _ => json!({ "ackToken": format!("{}0", cut(ack)), "output": output }),
        };
        let refused = reader.call_blindly("continue_workflow", &wrong);
        assert!(!refused.starts_with("Run "), "{wrong}: {refused}");
        for made_up in ["st.", "ack.", "chk.", "`state`", "`ack`"] {
            assert!(case == 7 || !refused.contains(made_up), "{refused}");
        }
        let back = if next_call(&refused).is_some() {
            reader.go_on(&refused, &output)
        } else if refused.contains("resume_session") {
            let found = reader.call("resume_session", &json!({}));
            reader.go_on(&found, &output)
        } else {
            assert!(refused.contains("`Next:`"), "it says what to do: {refused}");
            reader.go_on(&first, &output)
        };
        reader.finish(back, &[]);
    }
}

const REPORT: &str = r#"{
  "id": "project.report",
  "name": "Report",
  "description": "Looks, judges and tells.",
  "steps": [
    { "id": "look", "title": "Look", "prompt": "Look at it." },
    {
      "id": "judge",
      "title": "Judge",
      "prompt": "Judge it.",
      "outputContract": { "contractRef": "wr.contracts.review_verdict" }
    },
    { "id": "tell", "title": "Tell", "prompt": "Tell them." }
  ]
}"#;

/// Whoever repeats a call in other words because its reply was lost does the step that comes next, and no branch begins.
#[test]
fn an_output_in_other_words_leads_to_the_pending_step_and_begins_no_branch() {
    let rig = Rig::new();
    rig.write(".piton/workflows/report.json", REPORT);
    let mut reader = Reader::start(&rig);
    let mut reply = reader.begin("project.report");
    for step in ["Look", "Judge", "Tell"] {
        assert!(reply.contains(&format!(": {step}\n")), "{reply}");
        let mut next = reader.go_on(&reply, &output_for(&reply, &["Done.".to_owned()]));
        if next.contains("is not finished") {
            reply = next;
            next = reader.go_on(&reply, &output_for(&reply, &["Done.".to_owned()]));
        }
        let again = reader.go_on(&reply, &output_for(&reply, &["In other words.".to_owned()]));
        assert!(again.contains("OUTPUT_NOT_RECORDED"), "{again}");
        assert_eq!(next_call(&again), next_call(&next), "{again}");
        let branch = again.lines().find(|line| line.starts_with("Branch: "));
        let branch = branch.unwrap_or_else(|| panic!("how to submit it: {again}"));
        assert_eq!(call_in(branch).unwrap().0, "continue_workflow");
        assert_eq!(branch.contains("\"artifacts\": ["), step == "Judge", "{branch}");
        reply = again;
    }
    assert!(reader.faults.is_empty(), "{}", reader.faults.join("\n\n"));
    let tree = rig.tells(&["session", "tree", &rig.newest().label]);
    let tips = tree["nodes"].as_array().unwrap().iter().filter(|node| node["isTip"] == true);
    assert_eq!(tips.count(), 1, "{tree}");
}

#[test]
fn when_nothing_can_be_resumed_the_reply_says_what_was_searched_and_what_to_do() {
    let (_rig, mut reader) = merging();
    let none = reader.call("resume_session", &json!({ "query": "the lost ledger" }));
    for part in ["No run was found", "the lost ledger", "goal", "notes", "list_workflows"] {
        assert!(none.contains(part), "{none}");
    }
    let first = reader.begin("project.merge");
    let none = reader.call("resume_session", &json!({ "query": "the lost ledger" }));
    assert!(none.contains("None matches"), "{none}");
    let there = reader.go_on(&none, &json!({}));
    assert!(there.contains("Merge the change") && !first.is_empty(), "{there}");
    assert!(reader.faults.is_empty(), "{}", reader.faults.join("\n\n"));
}

#[test]
fn a_workflow_that_is_not_there_is_refused_with_what_there_is() {
    let (_rig, mut reader) = merging();
    let missing = reader.call_blindly("start_workflow", &json!({ "workflowId": "project.merges" }));
    assert!(missing.contains("project.merge"), "{missing}");
    let none = reader.call("list_workflows", &json!({ "query": "nothing like this at all" }));
    reader.go_on(&none, &json!({}));
    assert!(reader.faults.is_empty(), "{}", reader.faults.join("\n\n"));
}
