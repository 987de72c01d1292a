//! Commands that a text names next work as they are printed: with the data directory, the models, the tools and the
//! backpack that the one before was given.

use serde_json::{Value, json};

use crate::{
    advice::{RUN, quoted_commands, told_error, with_flow},
    recovery::{damage_end, outcome},
    rig::{Rig, damage, text},
};

const DIRECTORY: &str = "elsewhere";

/// Runs a command on a data directory that is chosen on the command line, and returns all that it says.
fn said_of(rig: &Rig, arguments: &[&str]) -> String {
    outcome(rig, &[arguments, &["--data-dir", DIRECTORY]].concat()).1
}

/// The commands of a text: each reaches from the name of the program to where words end that can be part of it.
fn commands(said: &str, names: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, _) in said.match_indices("piton ") {
        let words = said[at..].split([' ', '\n']).skip(1);
        let ends = |word: &&str| word.contains(['`', ',', '.', ';', '…', '"', ':', '(']);
        let mut command: Vec<String> = Vec::new();
        for word in words {
            let clean = word.trim_end_matches(['`', ',', '.', ';', ':']);
            if clean.is_empty() {
                break;
            }
            command.push(clean.to_owned());
            if ends(&word)
                || said[at..]
                    .find(word)
                    .is_some_and(|end| said[at + end..].starts_with(&format!("{word}\n")))
            {
                break;
            }
        }
        let begins_with = |name: &String| command.first() == Some(name);
        if command.first().is_some_and(|first| first == "--data-dir")
            || names.iter().any(begins_with)
        {
            found.push(command);
        }
    }
    found
}

#[test]
fn a_command_that_is_named_next_works_on_the_data_directory_that_was_given() {
    let rig = with_flow();
    rig.write(
        "piton.toml",
        "[[workspaces]]\nprefix = \"/p\"\nscope = \"read-only\"\ndirectory = \".\"\n",
    );
    let help = rig.says(&["--help"]);
    let listed = help.lines().filter_map(|line| line.strip_prefix("  "));
    let names: Vec<String> = listed
        .filter_map(|line| line.split(' ').next())
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    assert!(names.iter().any(|name| name == "backpack"), "{names:?}");
    let mut count = 0;
    let looks: [&[&str]; 22] = [
        &["session", "list"],
        &["backpack", "list"],
        &["flow", "resume", "kept", "--models", "models.json"],
        &[&RUN[..], &["--steps-max", "1"]].concat(),
        &["flow", "resume", "kept", "--models", "models.json"],
        &["backpack", "list"],
        &["backpack", "log", "kept"],
        &["backpack", "at", "kept"],
        &["backpack", "blame", "kept", "place"],
        &["backpack", "log", "no-such"],
        &["fork", "kept", "--at", "tell"],
        &["fork", "kept", "--into", "other"],
        &["session", "show", "no-such"],
        &["workflow", "list"],
        &["workflow", "show", "wr.tour"],
        &["context", "status"],
        &["context", "scan"],
        &["context", "status"],
        &["context", "history"],
        &["workspace", "map"],
        &["session", "gc"],
        &["config", "check"],
    ];
    for look in looks {
        let said = said_of(&rig, look);
        let found = commands(&said, &names);
        assert!(!found.is_empty(), "{look:?}: {said}");
        for command in found {
            assert_eq!(command[..2], ["--data-dir", DIRECTORY], "{look:?}: {said}");
            count += 1;
            let is_plain = |word: &String| !word.chars().any(char::is_uppercase);
            if command.iter().all(is_plain)
                && command[2..4] != ["workflow", "run"]
                && command[2] != "mcp"
            {
                let words: Vec<&str> = command.iter().map(String::as_str).collect();
                let (exit, told) = outcome(&rig, &words);
                assert!(exit == 0 || told.contains("shell"), "{look:?} names {words:?}: {told}");
            }
        }
    }
    assert!(count > 25, "{count}");
    assert!(!rig.data().exists(), "nothing went to another data directory");
}

#[test]
fn what_helps_against_damage_is_named_with_the_data_directory_that_was_given() {
    let rig = with_flow();
    said_of(&rig, &RUN);
    let input = "Hello\n.\nProject: a login page\nSeen: 3 files\n.\n.\n";
    rig.type_in(&["workflow", "run", "wr.tour", "--goal", "x", "--data-dir", DIRECTORY], input);
    let told = rig.tells(&["session", "list", "--data-dir", DIRECTORY]);
    let session = told["runs"][0]["sessionId"].as_str().unwrap();
    let data = rig.project().join(DIRECTORY);
    let events = data.join("sessions").join(session).join("events");
    let mut files: Vec<_> =
        std::fs::read_dir(events).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    damage(&files.pop().unwrap());
    damage_end(&data.join("backpacks/kept/log"));
    for look in [
        &["doctor"][..],
        &["session", "list"],
        &["session", "show", session],
        &["session", "verify", session],
        &["backpack", "list"],
        &["backpack", "log", "kept"],
        &["backpack", "verify", "kept"],
    ] {
        for json in [&[][..], &["--json"]] {
            let said = said_of(&rig, &[look, json].concat());
            let named = said.matches("piton --data-dir elsewhere ").count();
            // A list for a program names commands only where something is wrong.
            assert!(named > 0 || !json.is_empty(), "{look:?}: {said}");
            for part in ["session ", "backpack ", "data ", "doctor"] {
                assert!(!said.contains(&format!("piton {part}")), "{look:?}: {said}");
            }
        }
    }
}

#[test]
fn a_client_starts_piton_on_the_data_directory_that_was_given() {
    let rig = Rig::new();
    let install = ["mcp", "install", "--client", "claude", "--force", "--data-dir", DIRECTORY];
    rig.says(&install);
    let file = std::fs::read_to_string(rig.home().join(".claude.json")).unwrap();
    let entry: Value = serde_json::from_str(&file).unwrap();
    let data = rig.project().join(DIRECTORY);
    assert_eq!(entry["mcpServers"]["piton"]["args"], json!(["mcp", "--data-dir", data]));
    assert_eq!(rig.tells(&install)["isChanged"], false);
}

/// A flow of one node that needs a list, and may read what is about a person.
fn strict(rig: &Rig, prompt: &str, inputs: &Value) {
    let node = json!({ "id": "tell", "type": "chat", "inputs": inputs,
        "permissions": { "read": ["place"], "write": ["answer"] },
        "params": { "prompt": prompt, "output": "answer" } });
    rig.write("given.json", &json!({ "nodes": [node] }).to_string());
}

const GIVEN: [&str; 7] =
    ["flow", "run", "given.json", "--models", "models.json", "--backpack", "kept"];

/// The only command that the advice of a failure names.
fn advised(error: &Value, names: &[(&str, String)]) -> Vec<String> {
    let commands = quoted_commands(error["suggestion"].as_str().unwrap(), names);
    assert_eq!(commands.len(), 1, "{error}");
    commands.into_iter().next().unwrap()
}

fn works(rig: &Rig, command: &[String]) {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let (exit, said) = outcome(rig, &words);
    assert_eq!(exit, 0, "{words:?}: {said}");
}

#[test]
fn a_value_of_a_wrong_shape_is_given_again_and_the_flow_stays_as_it_is() {
    let list = json!({ "place": { "type": "array" } });
    for (prompt, inputs, wrong, right) in [
        ("About {{place}}.", list, "Paris", "place=[\"Paris\"]"),
        ("About {{place.city}}.", json!({}), "5", "place={\"city\":\"Paris\"}"),
    ] {
        for option in ["--set", "--pii"] {
            let rig = with_flow();
            strict(&rig, prompt, &inputs);
            let given = format!("place={wrong}");
            let error = told_error(&rig, &[&GIVEN[..], &[option, &given]].concat());
            let advice = error["suggestion"].as_str().unwrap();
            let expected = format!("--from tell {option} place=VALUE --models models.json");
            assert!(advice.contains(&expected), "{advice}");
            assert!(!advice.contains("copy of the flow") && !advice.contains(wrong), "{advice}");
            works(&rig, &advised(&error, &[("place=VALUE", right.to_owned())]));
        }
    }
}

#[test]
fn a_run_that_lacks_a_key_is_started_again_in_the_same_backpack() {
    let rig = with_flow();
    strict(&rig, "About {{place}}.", &json!({}));
    let error = told_error(&rig, &GIVEN);
    let command = advised(&error, &[("place=VALUE", "place=Paris".to_owned())]);
    assert!(command.join(" ").contains("--backpack kept"), "{command:?}");
    works(&rig, &command);
    works(&rig, &["backpack", "at", "kept", "--key", "answer"].map(str::to_owned));
}

#[test]
fn a_flow_without_its_tools_is_told_where_tools_come_from() {
    let rig = with_flow();
    let params = json!({ "prompt": "Look.", "tools": ["ls"], "output": "found" });
    let flow = json!({ "nodes": [{ "id": "scout", "type": "agent", "params": params }] });
    rig.write("agent.json", &flow.to_string());
    let call = json!({ "name": "decide", "arguments": { "choice": "answer" } });
    let models =
        json!({ "rehearsed": [{ "when": ["Choose one"], "call": call }, { "say": "Nothing." }] });
    rig.write("models.json", &models.to_string());
    let run = ["flow", "run", "agent.json", "--models", "models.json", "--backpack", "kept"];
    let check = text(&rig.run(&["flow", "check", "agent.json"]).stdout);
    assert!(check.contains("there is no tool `ls`") && check.contains("--tools FILE"), "{check}");
    let error = told_error(&rig, &run);
    assert!(error["suggestion"].as_str().unwrap().contains("with --tools and a file"), "{error}");
    // What was named once is named again.
    let tools = ["--workspace", "/p=.:ro", "--steps-max", "1"];
    let error = told_error(&rig, &[&run[..], &tools].concat());
    let advice = error["suggestion"].as_str().unwrap();
    assert!(advice.contains("--models models.json --workspace /p=.:ro`"), "{advice}");
    let error = told_error(&rig, &["flow", "resume", "kept", "--models", "models.json"]);
    assert!(error["suggestion"].as_str().unwrap().contains("with --tools and a file"), "{error}");
    let commands = quoted_commands(advice, &[("COUNT", "20".to_owned())]);
    works(&rig, commands.last().unwrap());
}

#[test]
fn a_fork_of_a_flow_names_what_its_replay_needs() {
    let rig = with_flow();
    rig.says(&RUN);
    let forked = rig.tells(&["fork", "kept", "--at", "tell"]);
    let command = forked["command"].as_str().unwrap();
    let command = command.strip_prefix("piton ").unwrap().replace("FILE", "models.json");
    assert!(command.ends_with("--models models.json"), "{command}");
    works(&rig, &command.split(' ').map(str::to_owned).collect::<Vec<_>>());
}
