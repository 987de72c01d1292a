//! Runs the examples as a person would, each in a directory of its own.
#![expect(
    clippy::disallowed_methods,
    reason = "starts the examples, and looks at the files that they leave"
)]

use std::path::PathBuf;
use std::process::Command;

/// Runs an example with a directory, and returns what it prints.
fn run(example: &str, directory: &std::path::Path) -> String {
    // Cargo puts examples beside the directory of the tests.
    let test = std::env::current_exe().expect("the path of this test");
    let program: PathBuf = test.parent().expect("deps").with_file_name("examples").join(example);
    let output = Command::new(&program).arg(directory).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{example}: {errors}");
    String::from_utf8(output.stdout).expect("examples print text")
}

#[test]
fn a_backpack_is_found_again_by_the_next_process() {
    let directory = tempfile::tempdir().unwrap();
    let first = run("backpack", directory.path());
    assert!(first.starts_with("visit 1\nanother key is refused: true\n"), "{first}");
    let second = run("backpack", directory.path());
    assert!(second.starts_with("visit 2\n"), "{second}");
    assert!(second.contains("written by counter, counter\n"), "{second}");
}

#[test]
fn a_run_is_refused_a_claim_and_continues_in_other_processes() {
    let directory = tempfile::tempdir().unwrap();
    let expected = "pending: Reproduce it\npending: Reproduce it (refused)\npending: Fix it\npending: nothing\n";
    assert_eq!(run("workflow", directory.path()), expected);
}

#[test]
fn a_flow_resumes_after_the_last_node_that_finished() {
    let directory = tempfile::tempdir().unwrap();
    let expected = "stopped after 1 node\ndone after 2 nodes in all\nthe sum is 42\n";
    assert_eq!(run("flow", directory.path()), expected);
}

#[test]
fn an_agent_changes_its_draft_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let printed = run("workspaces", directory.path());
    let refused = ["is in the read-only Workspace /project", "/etc/passwd is in no Workspace"];
    assert!(refused.iter().all(|refusal| printed.contains(refusal)), "{printed}");
    let (draft, project) = (printed.find("retries = 3"), printed.find("retries = 1"));
    assert!(draft.is_some() && draft < project, "{printed}");
    let on_disk = std::fs::read_to_string(directory.path().join("project/config.toml")).unwrap();
    assert_eq!(on_disk, "retries = 1\n");
}

#[test]
fn a_frame_goes_stale_with_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let printed = run("context", directory.path());
    assert_eq!(printed.matches("Logs a user in.").count(), 2, "{printed}");
    assert_eq!(printed.matches("stale").count(), 1, "{printed}");
}

#[test]
fn the_parts_join_in_one_data_directory() {
    let directory = tempfile::tempdir().unwrap();
    let expected = "edited: true\npacked by editor\nnoted on the file\n1 run in the index\n";
    assert_eq!(run("joined", directory.path()), expected);
    let on_disk = std::fs::read_to_string(directory.path().join("project/retry.toml")).unwrap();
    assert_eq!(on_disk, "retries = 3\n");
}
