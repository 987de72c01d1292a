//! What holds for every command: shapes, exit codes, failures, pipes, help.

use std::process::Command;

use crate::rig::{Rig, text};

#[test]
fn every_document_names_its_shape() {
    let rig = Rig::new();
    let run = rig.tour();
    let cases: &[(&[&str], &str, &[&str])] = &[
        (&["session", "list"], "piton.session.list/1", &["runs"]),
        (&["session", "show", &run.label], "piton.session.show/1", &["sessionId", "kept", "runs"]),
        (&["session", "tree", &run.label], "piton.session.tree/1", &["summary", "nodes"]),
        (&["session", "verify", &run.label], "piton.session.verify/1", &["isSound", "summary"]),
        (&["session", "repairs"], "piton.session.repairs/1", &["setAside"]),
        (&["session", "gc"], "piton.session.gc/1", &["removed", "young", "kept", "blobs"]),
        (&["session", "keep", &run.label], "piton.session.keep/1", &["sessionId", "kept"]),
        (&["session", "prefer", &run.label], "piton.session.prefer/1", &["tipId", "wasPreferred"]),
        (&["workflow", "list"], "piton.workflow.list/1", &["workflows", "leftOut"]),
        (&["workflow", "show", "wr.tour"], "piton.workflow.show/1", &["entry", "stepTitles"]),
        (&["workflow", "compile", "wr.tour"], "piton.workflow.compile/1", &["workflow"]),
        (&["workflow", "validate"], "piton.workflow.validate/1", &["isSound", "files"]),
        (&["prefs", "get"], "piton.prefs/1", &["preferences"]),
        (&["config", "show"], "piton.config.show/1", &["dataDir", "settings"]),
        (&["config", "check"], "piton.config.check/1", &["isSound", "problems"]),
        (&["keys", "rotate"], "piton.keys.rotate/1", &["rotated"]),
        (&["doctor"], "piton.doctor/1", &["isSound", "findings"]),
        (&["logs"], "piton.logs/1", &["records", "leftOut"]),
    ];
    for (arguments, schema, fields) in cases {
        let told = rig.tells(arguments);
        assert_eq!(told["schema"], *schema, "{arguments:?}");
        for field in *fields {
            assert!(told.get(field).is_some(), "{arguments:?} has no {field}: {told}");
        }
    }
}

// shows: WR-048
#[test]
fn data_is_not_kept_among_workflows() {
    let rig = Rig::new();
    let inside = rig.project().join(".piton/workflows/data");
    let inside = inside.to_str().unwrap();
    for arguments in [["session", "list"], ["workflow", "list"], ["keys", "rotate"]] {
        let (_, told) = rig.fails(&[&["--data-dir", inside], &arguments[..]].concat());
        let message = told["message"].as_str().unwrap();
        assert!(message.contains("which is searched for workflows"), "{message}");
    }
    assert!(!std::path::Path::new(inside).exists());
}

// shows in part: WR-485 (the part about the command line), WR-495 (the part about the command line)
#[test]
fn every_failure_is_the_one_envelope_and_none_is_about_tokens() {
    let rig = Rig::new();
    let bundle = rig.write("bundle.json", "{}");
    let cases: &[(&[&str], &str)] = &[
        (&["session", "show", "no-such"], "SESSION_NOT_FOUND"),
        (&["session", "tree", "no-such"], "SESSION_NOT_FOUND"),
        (&["session", "verify", "no-such"], "SESSION_NOT_FOUND"),
        (&["session", "repair", "no-such"], "SESSION_NOT_FOUND"),
        (&["session", "keep", "no-such"], "SESSION_NOT_FOUND"),
        (&["session", "prefer", "no-such@x"], "SESSION_NOT_FOUND"),
        (&["session", "delete", "no-such", "--yes"], "SESSION_NOT_FOUND"),
        (&["session", "export", "no-such", "x.json"], "SESSION_NOT_FOUND"),
        (&["session", "export", "no-such", "--html"], "SESSION_NOT_FOUND"),
        (&["session", "import", "/nonexistent"], "STORE_IO"),
        (&["session", "import", bundle.to_str().unwrap()], "BUNDLE_INVALID_FORMAT"),
        (&["approve", "no-such"], "SESSION_NOT_FOUND"),
        (&["answer", "no-such", "x"], "SESSION_NOT_FOUND"),
        (&["reject", "no-such", "x"], "SESSION_NOT_FOUND"),
        (&["prefs", "get", "--run", "no-such"], "SESSION_NOT_FOUND"),
        (&["prefs", "set", "--run", "no-such", "--autonomy", "guided"], "SESSION_NOT_FOUND"),
        (&["logs", "--run", "no-such"], "SESSION_NOT_FOUND"),
        (&["workflow", "run", "--resume", "no-such"], "SESSION_NOT_FOUND"),
        (&["workflow", "show", "no.such"], "VALIDATION_ERROR"),
    ];
    for (arguments, expected) in cases {
        let (code, error) = rig.fails(arguments);
        assert_eq!((code, error["code"].as_str()), (1, Some(*expected)), "{arguments:?}: {error}");
        for field in ["message", "suggestion"] {
            assert!(!error[field].as_str().unwrap().is_empty(), "{arguments:?}: {error}");
        }
        assert!(error["retry"]["kind"].is_string(), "{arguments:?}: {error}");
        // A person reads the same two sentences.
        let output = rig.run(arguments);
        let told = text(&output.stderr);
        assert!(told.contains(error["message"].as_str().unwrap()), "{told}");
        assert!(told.contains(error["suggestion"].as_str().unwrap()), "{told}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let rig = Rig::new();
    rig.tour();
    for arguments in ["man", "workflow list", "session list --json", "completions bash", ""] {
        let program = env!("CARGO_BIN_EXE_piton");
        let script = format!("set -o pipefail; {program} {arguments} | head -n 1 > /dev/null");
        let output = Command::new("bash")
            .args(["-c", &script])
            .env_clear()
            .envs([("HOME", rig.home().to_str().unwrap()), ("PATH", "/usr/bin:/bin")])
            .current_dir(rig.project())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments}: {}", text(&output.stderr));
        assert!(output.stderr.is_empty(), "{arguments}: {}", text(&output.stderr));
    }
}

#[test]
fn without_a_home_the_data_directory_has_to_be_named() {
    let rig = Rig::new();
    let output = rig.command(&["session", "list"]).env_remove("HOME").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(told.contains("--data-dir or PITON_DATA_DIR"), "{told}");
    let data = rig.data();
    let named = ["session", "list", "--data-dir", data.to_str().unwrap()];
    let output = rig.command(&named).env_remove("HOME").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_data_directory_that_cannot_be_written_to_is_named() {
    let rig = Rig::new();
    // Nobody makes a directory here, not even root.
    for arguments in [&["session", "list"][..], &["workflow", "list"], &["up"]] {
        let output = rig.run(&[arguments, &["--data-dir", "/proc/piton"]].concat());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let told = text(&output.stderr);
        assert!(told.contains("/proc/piton") && told.contains("--data-dir"), "{told}");
    }
}

#[test]
fn colour_is_for_terminals_and_those_who_ask_for_it() {
    let rig = Rig::new();
    rig.tour();
    let has_colour = |variables: &[(&str, &str)]| {
        let mut command = rig.command(&["session", "list"]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        text(&output.stdout).contains('\u{1b}')
    };
    assert!(!has_colour(&[]));
    assert!(has_colour(&[("CLICOLOR_FORCE", "1")]));
    assert!(!has_colour(&[("NO_COLOR", "1")]));
}

#[test]
fn every_command_explains_itself_by_an_example() {
    let reference = Rig::new().says(&["internal-reference"]);
    let mut sections = reference.split("\n## ").skip(1);
    let root = sections.next().unwrap();
    assert!(root.contains("Exit codes:"), "{root}");
    let mut count = 0;
    for section in sections.filter(|section| !section.contains("\nCommands:\n")) {
        assert!(section.contains("Example"), "{section}");
        assert!(section.contains("--json"), "{section}");
        count += 1;
    }
    assert!(count >= 30, "{count}");
}

#[test]
fn mistakes_in_the_configuration_are_told_all_at_once() {
    let rig = Rig::new();
    rig.write("piton.toml", "[log]\nlevl = \"info\"\n[retention]\ndays = 5\n");
    let output = rig.run(&["config", "check"]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("piton.toml:2:1") && told.contains("piton.toml:4:1"), "{told}");
    let doctor = rig.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(1));
    let told = text(&doctor.stdout);
    assert!(told.starts_with("1 thing is not in order.\n"), "{told}");
    assert_eq!(told.matches("piton.toml:2:1").count(), 1, "{told}");
}

#[test]
fn logs_tell_what_failed_and_never_what_was_written() {
    let rig = Rig::new();
    let output = rig
        .command(&["workflow", "run", "wr.tour", "--goal", "a secret goal"])
        .env("PITON_LOG", "trace")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let run = rig.newest();
    rig.fails(&["approve", &run.label]);
    let told = rig.tells(&["logs", "--run", &run.label]);
    let records = told["records"].as_array().unwrap();
    assert_eq!(records.len(), 2, "{told}");
    assert_eq!(records[0]["command"], "workflow run");
    assert_eq!(
        (&records[1]["command"], &records[1]["code"]),
        (&"approve".into(), &"VALIDATION_ERROR".into())
    );
    let file = std::fs::read_to_string(rig.data().join("logs/piton.jsonl")).unwrap();
    assert!(!file.contains("secret"), "{file}");
    let said = rig.says(&["logs"]);
    assert!(said.contains("approve: failed (VALIDATION_ERROR)"), "{said}");
}

#[test]
fn completions_and_pages_are_written_for_every_shell_and_command() {
    let rig = Rig::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(rig.says(&["completions", shell]).contains("_PITON_COMPLETE"), "{shell}");
    }
    assert!(rig.says(&["man"]).contains(".TH piton"));
    let to = rig.project().join("man");
    rig.says(&["man", "--to", to.to_str().unwrap()]);
    assert!(to.join("piton-session-list.1").exists());
}
