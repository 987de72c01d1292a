//! Arguments, help and failures.

use std::{fs, path::Path, process::Command};

use serde_json::json;

use crate::{document, piton, rig::Rig, text};

#[test]
fn without_arguments_the_help_is_printed_and_nothing_fails() {
    let home = tempfile::tempdir().unwrap();
    let output = piton(&[], home.path());
    assert_eq!(output.status.code(), Some(0));
    let help = text(&output.stdout);
    assert!(help.contains("demo") && help.contains("Exit codes:"), "{help}");
    assert!(!help.contains("internal"), "{help}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn a_wrong_argument_is_named_and_ends_with_two() {
    let home = tempfile::tempdir().unwrap();
    for (arguments, named) in
        [(["demo", "--nonsense"], "--nonsense"), (["nonsense", "--json"], "nonsense")]
    {
        let output = piton(&arguments, home.path());
        assert_eq!(output.status.code(), Some(2));
        let message = text(&output.stderr);
        assert!(message.contains(named) && message.contains("Usage:"), "{message}");
    }
}

// shows: WR-050
#[test]
fn everything_is_written_below_the_directory_that_the_environment_names() {
    let (home, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let output = Command::new(crate::program())
        .args(["demo", "--json"])
        .env("PITON_DATA_DIR", data.path())
        .env("HOME", home.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let directory = document(&output)["project"].as_str().unwrap().to_owned();
    assert!(Path::new(&directory).starts_with(data.path()), "{directory}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn an_error_code_is_explained_and_a_misspelt_one_guessed() {
    let home = tempfile::tempdir().unwrap();
    let output = piton(&["explain", "session-locked"], home.path());
    let page = text(&output.stdout);
    assert!(page.starts_with("# SESSION_LOCKED\n") && page.contains("**What to do:**"), "{page}");
    let told = document(&piton(&["explain", "SESSION_LOCKED", "--json"], home.path()));
    assert_eq!(told["example"]["code"], "SESSION_LOCKED");
    let output = piton(&["explain", "SESION_LOCKD"], home.path());
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains("Did you mean SESSION_LOCKED"), "{message}");
    let all = text(&piton(&["explain"], home.path()).stdout);
    assert!(all.contains("WORKSPACE_QUOTA") && all.contains("INTERNAL_ERROR"), "{all}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0, "nothing is opened for it");
}

#[test]
fn a_data_directory_that_cannot_be_made_is_named_with_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "not a directory").unwrap();
    let data_dir = file.join("data");
    let data_dir = data_dir.to_str().unwrap();
    let output = piton(&["demo", "--data-dir", data_dir], home.path());
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains(data_dir) && message.contains("--data-dir"), "{message}");
    assert!(output.stdout.is_empty());

    let output = piton(&["demo", "--json", "--data-dir", data_dir], home.path());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(document(&output)["schema"], "piton.error/1");
    assert_eq!(document(&output)["error"]["code"], "STORE_IO");
}

#[test]
fn what_the_system_refuses_is_told_in_words_with_what_to_do() {
    let rig = Rig::new();
    rig.write("file", "not a directory");
    rig.write("directory/file", "");
    let check = |arguments: &[&str], message: &str, suggestion: &str| {
        let (code, error) = rig.fails(arguments);
        assert_eq!((code, &error["message"]), (1, &json!(message)));
        assert_eq!(error["suggestion"], suggestion, "{message}");
    };
    let retry = "Check the path and run the command again.";
    check(&["flow", "check", "absent"], "Could not read absent: it does not exist.", retry);
    check(
        &["session", "import", "directory"],
        "Could not read directory: it is a directory.",
        "Name a file instead.",
    );
    check(
        &["install", "--to", "file"],
        "Could not install file/piton: there is a file where a directory is needed.",
        "Choose another path.",
    );
    check(
        &["session", "list", "--data-dir", "file"],
        "The data directory file is a file, or is below one.",
        "Choose another one with --data-dir or PITON_DATA_DIR.",
    );
}

#[test]
fn a_file_that_may_not_grow_is_told_as_a_failure_and_does_not_kill_the_program() {
    let rig = Rig::new();
    let piton = env!("CARGO_BIN_EXE_piton");
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 0; exec \"$0\" session list", piton]);
    let output = limited.env_clear().env("HOME", rig.home()).output().unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{:?}: {told}", output.status);
    assert!(told.contains("The data directory is "), "{told}");
}

#[test]
fn help_of_a_command_is_shown_by_its_name_and_a_misspelt_one_is_guessed() {
    let rig = Rig::new();
    let help = rig.says(&["help", "session", "show"]);
    assert!(help.contains("Usage: piton session show"), "{help}");
    assert_eq!(help, rig.says(&["session", "show", "--help"]));
    assert_eq!(rig.says(&["help"]), rig.says(&["--help"]));
    let output = rig.run(&["help", "session", "shwo"]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("'shwo'") && message.contains("'show'"), "{message}");
}

#[test]
fn the_version_names_the_program_and_the_format_of_its_data() {
    let rig = Rig::new();
    let version = env!("CARGO_PKG_VERSION");
    let words = rig.says(&["version"]);
    assert!(words.starts_with(&rig.says(&["--version"]).trim().to_owned()), "{words}");
    let told = rig.tells(&["version"]);
    assert_eq!((&told["schema"], &told["version"]), (&json!("piton.version/1"), &json!(version)));
    assert!(!rig.data().exists(), "nothing is opened for it");
    rig.says(&["session", "list"]);
    let format = fs::read_to_string(rig.data().join("format.json")).unwrap();
    let format: serde_json::Value = serde_json::from_str(&format).unwrap();
    assert_eq!(told["dataFormat"], format);
}

#[test]
fn no_line_of_any_help_is_wider_than_the_page() {
    let rig = Rig::new();
    let reference = rig.says(&["internal-reference"]);
    let widest = reference.lines().filter(|line| line.chars().count() > 100).collect::<Vec<_>>();
    assert!(widest.iter().all(|line| line.starts_with("Generated")), "{widest:#?}");
}
