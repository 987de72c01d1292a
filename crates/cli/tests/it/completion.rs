//! Completion in a real shell.

use std::{fs, os::unix::fs::symlink, process::Command};

use crate::rig::{Rig, text};

/// What a bash with the completion script offers in place of the last of these words, options aside.
fn offered(rig: &Rig, words: &[&str]) -> Vec<String> {
    let bin = rig.home().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let _ = symlink(crate::program(), bin.join("piton"));
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let (typed, before) = (words[words.len() - 1], words[words.len() - 2]);
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let lines = [
        "source <(piton completions bash)".to_owned(),
        format!("COMP_WORDS=({}) COMP_CWORD={} COMP_TYPE=9", quoted.join(" "), words.len() - 1),
        format!("_clap_complete_piton piton '{typed}' '{before}'"),
        "((${#COMPREPLY[@]} == 0)) || printf '%s\\n' \"${COMPREPLY[@]}\"".to_owned(),
    ];
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", &lines.join("\n")])
        .env_clear()
        .env("HOME", rig.home())
        .env("PATH", path)
        .current_dir(rig.project())
        .output()
        .unwrap();
    assert_eq!(text(&output.stderr), "", "{words:?}: a shell shows every error");
    text(&output.stdout).lines().filter(|one| !one.starts_with('-')).map(str::to_owned).collect()
}

#[test]
fn runs_workflows_backpacks_and_keys_are_offered_where_they_are_meant() {
    let rig = Rig::new();
    // Nothing has listed the run before.
    rig.type_in(&["workflow", "run", "wr.tour"], "Hello\n.\n.\n");
    assert_eq!(offered(&rig, &["piton", "session", "show", ""]).len(), 1);
    let run = rig.newest();
    for words in [
        &["piton", "session", "show", ""][..],
        &["piton", "session", "show", &run.label[..4]],
        &["piton", "approve", ""],
        &["piton", "fork", &run.label[..2]],
        &["piton", "logs", "--run", ""],
        &["piton", "workflow", "run", "--resume", ""],
    ] {
        assert!(offered(&rig, words).contains(&run.label), "{words:?}");
    }
    assert_eq!(offered(&rig, &["piton", "session", "show", "zz"]), [""; 0]);
    assert_eq!(offered(&rig, &["piton", "workflow", "show", "wr.to"]), ["wr.tour"]);

    let flow = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/flows/prices");
    let (file, models) = (format!("{flow}/flow.json"), format!("{flow}/models.json"));
    rig.says(&[
        "flow",
        "run",
        &file,
        "--models",
        &models,
        "--set",
        "query=prices",
        "--backpack",
        "prices",
    ]);
    assert_eq!(offered(&rig, &["piton", "backpack", "log", "pr"]), ["prices"]);
    assert_eq!(offered(&rig, &["piton", "blame", "state", "prices", "que"]), ["query"]);
    let keys = offered(&rig, &["piton", "backpack", "at", "prices", "--key", ""]);
    assert!(keys.contains(&"answer".to_owned()), "{keys:?}");
}

#[test]
fn commands_and_codes_are_offered_and_help_goes_on_word_by_word() {
    let rig = Rig::new();
    assert_eq!(offered(&rig, &["piton", "sess"]), ["session"]);
    assert_eq!(offered(&rig, &["piton", "session", "ver"]), ["verify"]);
    assert_eq!(offered(&rig, &["piton", "help", "session", "ver"]), ["verify"]);
    assert_eq!(offered(&rig, &["piton", "explain", "SESSION_L"]), ["SESSION_LOCKED"]);
}

#[test]
fn completing_creates_nothing_and_whatever_is_wrong_stays_silent() {
    let rig = Rig::new();
    assert_eq!(offered(&rig, &["piton", "session", "show", ""]), [""; 0]);
    assert!(!rig.data().exists());
    assert_eq!(offered(&rig, &["piton", "workflow", "run", "wr.to"]), ["wr.tour"]);
    assert!(!rig.data().exists());

    let config = rig.home().join(".config/piton/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "nonsense = [").unwrap();
    assert_eq!(offered(&rig, &["piton", "session", "show", ""]), [""; 0]);
    fs::remove_file(&config).unwrap();
    fs::create_dir_all(rig.data().parent().unwrap()).unwrap();
    fs::create_dir(rig.data()).unwrap();
    fs::write(rig.data().join("format.json"), "{}").unwrap();
    assert_eq!(offered(&rig, &["piton", "backpack", "log", ""]), [""; 0]);
}

#[test]
fn a_script_whose_program_is_gone_says_nothing() {
    let rig = Rig::new();
    let script = rig.says(&["completions", "bash"]);
    let script = rig.write("completion.bash", &script);
    let line = format!(
        "PATH=/nowhere; source {}; COMP_WORDS=(piton '') COMP_CWORD=1; _clap_complete_piton piton '' piton",
        script.display()
    );
    let output =
        Command::new("bash").args(["--norc", "--noprofile", "-c", &line]).output().unwrap();
    assert_eq!((text(&output.stdout), text(&output.stderr)), (String::new(), String::new()));
}

#[test]
fn each_shell_gets_a_script_that_asks_the_program() {
    let rig = Rig::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = rig.says(&["completions", shell]);
        assert!(script.contains("_PITON_COMPLETE"), "{shell}: {script}");
        let is_quiet = script.contains("2>/dev/null") || matches!(shell, "elvish" | "powershell");
        assert!(is_quiet, "{shell}: {script}");
    }
}
