//! Commands that a text names next work as they are printed: with the data directory, the Workspaces, the models, the
//! tools and the backpack that the one before was given.

use serde_json::{Value, json};

use crate::{
    advice::{RUN, quoted_commands, told_error, with_flow},
    page::typed,
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
        let ends = |word: &&str| {
            word.contains(['`', '…', '"', '(']) || word.ends_with([',', '.', ';', ':'])
        };
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
            let expected = format!("--models models.json kept --from tell {option} place=VALUE");
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
    assert!(advice.contains(" --workspace /p=.:ro --models models.json kept"), "{advice}");
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

/// The commands that a text prints, as they stand: quoted, or up to a wide gap or the end of their line.
fn printed(said: &str) -> Vec<String> {
    let starts = said.match_indices("piton ").map(|(at, _)| at);
    let starts = starts.filter(|at| said[..*at].ends_with([' ', '`', '\n']));
    let end = |text: &str| ["`", "\n", "   "].iter().filter_map(|end| text.find(end)).min();
    starts.map(|at| said[at..][..end(&said[at..]).unwrap_or(said.len() - at)].to_owned()).collect()
}

/// Runs the printed command that begins with some words through a shell, with what the person adds to it.
fn type_printed(rig: &Rig, said: &str, command: &str, more: &str) -> String {
    let found = printed(said);
    let line = found.iter().find(|line| line.starts_with(command));
    let line = line.unwrap_or_else(|| panic!("{command}: {found:?}\n{said}"));
    let output = typed(rig, &format!("{line}{more} </dev/null"));
    let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{line}: {told}");
    told
}

/// A project, and an overlay over it; neither is configured anywhere, and their names are not easy.
const MOUNTS: [&str; 4] =
    ["--workspace", "/my docs=./a b:ro", "--workspace", "/my draft=over/my docs:rw"];

/// An overlay with a change, of Workspaces that are only typed.
fn with_typed_overlay() -> Rig {
    let rig = Rig::new();
    rig.write("a b/one file.txt", "one\n");
    let write = "write {\"path\": \"/my draft/one file.txt\", \"content\": \"two\\n\"}\n";
    let written = rig.type_in(&[&["workspace", "shell"], &MOUNTS[..]].concat(), write);
    assert!(written.status.success(), "{}", text(&written.stdout));
    rig
}

#[test]
fn a_command_about_workspaces_names_those_that_were_typed() {
    let rig = with_typed_overlay();
    let says = |arguments: &[&str]| outcome(&rig, &[arguments, &MOUNTS[..]].concat()).1;
    let file = "/my draft/one file.txt";
    for (arguments, next) in [
        (&["workspace", "map"][..], "piton workspace tools"),
        (&["workspace", "tools"], "piton workspace shell"),
        (&["workspace", "resolve", file], "piton workspace log"),
        (&["workspace", "log", file], "piton workspace resolve"),
        (&["blame", "file", file], "piton workspace resolve"),
        // Nobody is there to be asked.
        (&["workspace", "drop", "/my draft"], "piton workspace diff"),
        (&["fork", "/my draft", "--into", "/an other"], "piton mcp"),
    ] {
        type_printed(&rig, &says(arguments), next, "");
    }
    // The fork is typed with the Workspaces that it needs.
    let forked = says(&["fork", "/my draft", "--into", "/a third"]);
    let compared = type_printed(&rig, &forked, "piton diff", "");
    assert!(compared.contains("/a third"), "{compared}");
    // What changed below stands in the way.
    rig.write("a b/one file.txt", "three\n");
    let refused = says(&["workspace", "apply", "/my draft", "--yes"]);
    let differs = type_printed(&rig, &refused, "piton workspace diff", "");
    assert!(differs.contains("changed below since"), "{differs}");
    rig.write("a b/one file.txt", "one\n");
    let shown = says(&["workspace", "diff"]);
    let applied = type_printed(&rig, &shown, "piton workspace apply", " --yes");
    assert!(applied.contains("Changed 1 path"), "{applied}");
    assert_eq!(std::fs::read_to_string(rig.project().join("a b/one file.txt")).unwrap(), "two\n");
    type_printed(&rig, &shown, "piton workspace drop", " --yes");
}

#[test]
fn a_flow_continues_with_the_models_and_tools_that_were_given() {
    let rig = with_flow();
    let silent = json!({ "rehearsed": [{ "when": ["nobody asks this"], "say": "" }] });
    rig.write("my models.json", &silent.to_string());
    rig.write("my tools.json", "{\"mcpServers\": {}}");
    let given = ["--models", "my models.json", "--tools", "my tools.json"];
    let run = ["flow", "run", "flow.json", "--backpack", "kept"];
    let failed = outcome(&rig, &[&run[..], &given].concat()).1;
    std::fs::copy(rig.project().join("models.json"), rig.project().join("my models.json")).unwrap();
    let line = printed(&failed).into_iter().find(|line| line.starts_with("piton flow resume"));
    assert!(line.is_some_and(|line| line.contains("--tools 'my tools.json'")), "{failed}");
    type_printed(&rig, &failed, "piton flow resume", "");
    // Somebody who resumes what is done runs it again from a node, with the same models.
    let done = outcome(&rig, &[&["flow", "resume", "kept"], &given[..]].concat()).1;
    let replay = printed(&done).into_iter().find(|line| line.starts_with("piton flow replay"));
    let replay = replay.unwrap_or_else(|| panic!("{done}")).replace("NODE", "tell");
    let output = typed(&rig, &replay);
    assert!(output.status.success(), "{replay}: {}", text(&output.stdout));
}

#[test]
fn what_is_said_about_one_run_or_as_an_agent_stays_about_it() {
    let rig = Rig::new();
    let label = rig.tour().label;
    let said = rig.says(&["prefs", "get", "--run", &label]);
    let line = printed(&said).pop().unwrap().replace("--autonomy …", "").replace('…', "aggressive");
    let set = typed(&rig, &line);
    assert!(set.status.success(), "{line}: {}", text(&set.stderr));
    assert!(rig.says(&["prefs", "get", "--run", &label]).contains("aggressive"));
    assert!(!rig.says(&["prefs", "get"]).contains("aggressive"), "{line}");

    rig.write(
        "piton.toml",
        "[[context.agents]]\nname = \"bot\"\nrole = \"writer\"\n\n[[context.agents]]\nname = \"eye\"\nrole = \"reader\"\n",
    );
    rig.write("src/my file.txt", "one\n");
    rig.says(&["context", "scan"]);
    let node = ["context", "get-node", "src/my file.txt", "--agent"];
    let said = rig.says(&[&node[..], &["bot"]].concat());
    type_printed(&rig, &said, "piton context put-frame", "");
    assert!(rig.says(&["context", "list-frames", "src/my file.txt"]).contains("by bot"));
    // Nobody who may not write is advised to.
    let root = rig.says(&["context", "get-node", ".", "--agent", "eye"]);
    assert!(root.contains("It has no frames.") && !root.contains("put-frame"), "{root}");
}

#[test]
fn a_file_with_any_name_is_one_word_of_the_next_command() {
    let rig = Rig::new();
    let session = rig.tour().session;
    let exported = rig.says(&["session", "export", &session, "my bundle.json"]);
    type_printed(&rig, &exported, "piton session import", "");
    std::fs::create_dir_all(rig.home().join("my config")).unwrap();
    let mut new = rig.command(&["workflow", "new", "user.notes"]);
    let written = new.env("XDG_CONFIG_HOME", rig.home().join("my config")).output().unwrap();
    assert!(written.status.success(), "{}", text(&written.stderr));
    type_printed(&rig, &text(&written.stdout), "piton workflow validate", "");
    std::fs::copy(
        rig.home().join("my config/piton/workflows/notes.json"),
        rig.project().join("my notes.json"),
    )
    .unwrap();
    let refused = outcome(&rig, &["workflow", "compile", "my notes.json"]).1;
    type_printed(&rig, &refused, "piton workflow validate", "");
}
