//! Arguments, help and failures.

use std::{fs, path::Path, process::Command};

use crate::{document, piton, text};

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
    let output = Command::new(env!("CARGO_BIN_EXE_piton"))
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
