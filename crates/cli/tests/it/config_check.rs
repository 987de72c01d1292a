//! `piton config check` finds whatever a server that is started in the same place refuses.

use std::{fs, os::unix::fs::symlink};

use crate::rig::{Rig, text};

/// A configuration, and whether a server starts with it.
struct Case {
    name: &'static str,
    user: String,
    project: String,
    starts: bool,
}

fn case(name: &'static str, user: &str, project: &str, starts: bool) -> Case {
    Case { name, user: user.to_owned(), project: project.to_owned(), starts }
}

/// A Workspace on a directory, with more lines.
fn workspace(directory: &str, more: &str) -> String {
    format!(
        "[[workspaces]]\nprefix = \"/w\"\nscope = \"read-write\"\ndirectory = \"{directory}\"\n{more}\n"
    )
}

fn overlay(lower_scope: &str) -> String {
    format!(
        "[[workspaces]]\nprefix = \"/o\"\nscope = \"read-write\"\nvirtual = [\"o\"]\nover = \"/w\"\n\n\
         [[workspaces]]\nprefix = \"/w\"\nscope = \"{lower_scope}\"\nmemory = [\"w\"]\n"
    )
}

fn cases() -> Vec<Case> {
    let ghost = "[context]\nagent = \"ghost\"\n";
    let scout = "[[context.agents]]\nname = \"scout\"\nrole = \"reader\"\n";
    let served = "[context]\nagent = \"scout\"\n";
    let git = "writable = [\".git\"]";
    let twice = [workspace(".", ""), workspace(".", "")].concat();
    vec![
        case("nothing", "", "", true),
        case("a Workspace", "", &workspace(".", "writable = [\".vscode\"]"), true),
        case("an agent that nobody configured, of the project", "", ghost, false),
        case("an agent that nobody configured, of the user", ghost, "", false),
        case("an agent of the user, named by the project", scout, served, true),
        case("an agent of the project, named by the user", served, scout, false),
        case("a project that opens .git", "", &workspace(".", git), false),
        case("a user who opens .git", &workspace("~/project", git), "", true),
        case("a name that is not protected", "", &workspace(".", "writable = [\"src\"]"), false),
        case(
            "a name of the user that is not protected",
            &workspace("~", "writable = [\"src\"]"),
            "",
            false,
        ),
        case("a directory that is not there", "", &workspace("./missing", ""), false),
        case("a directory of the user that is not there", &workspace("~/none", ""), "", false),
        case("a directory that is a file", "", &workspace("./file", ""), false),
        case("a link that leads out of the project", "", &workspace("./out", ""), false),
        case("the same link for the user", &workspace("~/project/out", ""), "", true),
        case("a directory in .git", "", &workspace("./.git/hooks", ""), false),
        case("a prefix twice", "", &twice, false),
        case("a prefix of both", &workspace("~", ""), &workspace(".", ""), true),
        case("an overlay", "", &overlay("read-only"), true),
        case("an overlay over what is write-only", "", &overlay("write-only"), false),
        case(
            "an overlay over nothing",
            "",
            &overlay("read-only").replace("/w\"\n\n", "/x\"\n\n"),
            false,
        ),
        case(
            "data among workflows",
            "[data]\ndir = \"~/.config/piton/workflows/data\"\n",
            "",
            false,
        ),
        case("a section that does not exist", "", "[workspace]\n", false),
    ]
}

#[test]
fn a_configuration_is_found_wrong_if_and_only_if_a_server_refuses_it() {
    for Case { name, user, project, starts } in cases() {
        let rig = Rig::new();
        fs::create_dir_all(rig.home().join(".config/piton")).unwrap();
        fs::write(rig.home().join(".config/piton/config.toml"), &user).unwrap();
        rig.write("piton.toml", &project);
        rig.write("file", "x");
        rig.write(".git/hooks/x", "x");
        symlink(rig.home(), rig.project().join("out")).unwrap();
        let checked = rig.run(&["config", "check"]);
        let said = text(&checked.stdout);
        assert!(!rig.data().exists(), "{name}: a check makes nothing");
        let started = rig.type_in(&["mcp"], "");
        let told = text(&started.stderr);
        assert_eq!(started.status.success(), starts, "{name}: {told}");
        assert_eq!(checked.status.success(), starts, "{name}: {said} {told}");
        if starts {
            continue;
        }
        // Both say the same, and the check says where.
        let file = if project.is_empty() || name.ends_with("the user") {
            ".config/piton/config.toml"
        } else {
            "project/piton.toml"
        };
        assert!(name.starts_with("data") || said.contains(file), "{name}: {said}");
        let problems = &rig_problems(&rig);
        assert!(!problems.is_empty(), "{name}");
        for problem in problems {
            assert!(told.contains(problem.trim_end_matches('.')), "{name}: {problem}\n{told}");
        }
        let doctor = text(&rig.run(&["doctor"]).stdout);
        assert!(doctor.contains("✗ configuration"), "{name}: {doctor}");
    }
}

/// The reasons that a check tells a program.
fn rig_problems(rig: &Rig) -> Vec<String> {
    let output = rig.run(&["config", "check", "--json"]);
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let problems = told["problems"].as_array().unwrap();
    problems.iter().map(|problem| problem["reason"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_section_is_shown_with_what_it_holds_and_where() {
    let rig = Rig::new();
    let said = rig.says(&["config", "show"]);
    for section in ["[models]", "[state]", "[context]", "[workspaces]"] {
        let line = said.lines().find(|line| line.starts_with(section)).unwrap();
        assert!(line.contains("nothing"), "{said}");
    }
    let config = rig.home().join(".config/piton/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    let models = "[models]\ndefault = \"local\"\n[[models.providers]]\nname = \"local\"\nwire = \"ollama\"\nmodel = \"llama3.2\"\n";
    let agents = "[[context.agents]]\nname = \"scout\"\nrole = \"reader\"\n";
    fs::write(&config, format!("{models}{agents}")).unwrap();
    rig.write("piton.toml", &format!("{}[state]\nbackpack = \"research\"\n", workspace(".", "")));
    let said = rig.says(&["config", "show"]);
    for (section, holds, file) in [
        ("[models]", "local (llama3.2), default local", "config.toml"),
        ("[context]", "scout (reader)", "config.toml"),
        ("[workspaces]", "/w (read-write)", "piton.toml"),
        ("[state]", "backpack research", "piton.toml"),
    ] {
        let line = said.lines().find(|line| line.starts_with(section)).unwrap();
        assert!(line.contains(holds) && line.contains(file), "{line}");
    }
}
