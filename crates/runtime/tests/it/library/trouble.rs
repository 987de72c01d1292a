//! What does not load is listed, never silently absent.

use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use piton_runtime::library::FileProblem;
use piton_runtime::request::ListWorkflows;

use crate::rig::{Machine, two_steps};

#[test]
fn a_file_that_does_not_load_is_listed_with_everything_that_is_wrong_and_the_rest_loads() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/good.json", &two_steps("project.good"));
    let bad = machine.write(
        "project/.piton/workflows/bad.json",
        r#"{"id": "project.bad", "steps": [{"id": "a", "title": 3}, {"id": "a"}]}"#,
    );
    machine.write("project/.piton/workflows/not.json", "not json");
    let listed = machine.agent().list_workflows(&ListWorkflows::default()).unwrap();
    assert!(listed.workflows.iter().any(|entry| entry.workflow_id == "project.good"));
    assert_eq!(listed.problems.len(), 2);
    assert_eq!(listed.problems[0].path, bad.display().to_string());
    assert!(listed.problems[0].problems.len() >= 3, "{}", listed.problems[0].text());
    assert!(listed.text().contains("bad.json does not load:"));
}

#[test]
fn what_cannot_be_read_is_told_and_absent_default_directories_are_not() {
    let mut machine = Machine::in_memory();
    let absent = machine.home().join("absent");
    machine.set("PITON_WORKFLOW_DIRS", absent.to_str().unwrap());
    let huge = machine.write("project/.piton/workflows/huge.json", &" ".repeat((1 << 20) + 1));
    let binary = machine.write("project/.piton/workflows/binary.json", "");
    std::fs::write(&binary, [0xff, 0xfe]).unwrap();
    let dangling = machine.project().join(".piton/workflows/dangling.json");
    std::os::unix::fs::symlink("/nowhere/at/all.json", &dangling).unwrap();
    let looped = machine.project().join(".piton/workflows/again");
    std::os::unix::fs::symlink(machine.project().join(".piton"), &looped).unwrap();

    let listed = machine.agent().list_workflows(&ListWorkflows::default()).unwrap();
    let told: Vec<(&str, &FileProblem)> =
        listed.problems.iter().map(|file| (file.path.as_str(), &file.problems[0])).collect();
    let paths: Vec<&str> = told.iter().map(|(path, _)| *path).collect();
    let mut expected: Vec<String> =
        [&absent, &huge, &binary, &dangling].map(|path| path.display().to_string()).to_vec();
    expected.sort();
    let mut found: Vec<&str> = paths.clone();
    found.sort_unstable();
    assert_eq!(found, expected);
    let reason = |path: &std::path::Path| {
        let path = path.display().to_string();
        let (_, problem) = told.iter().find(|(told, _)| *told == path).unwrap();
        match problem {
            FileProblem::Unreadable { reason } => reason.clone(),
            FileProblem::Inside(problem) => problem.to_string(),
        }
    };
    assert!(reason(&huge).contains("more than 1048576 bytes"), "{}", reason(&huge));
    assert!(reason(&binary).contains("UTF-8"), "{}", reason(&binary));
}

#[test]
fn a_pipe_in_place_of_a_file_is_reported_and_not_waited_for() {
    let machine = Machine::in_memory();
    let pipe = machine.write("project/.piton/workflows/pipe.json", "");
    std::fs::remove_file(&pipe).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (sender, listed) = channel();
    thread::spawn(move || {
        let listed = machine.agent().list_workflows(&ListWorkflows::default());
        sender.send(listed).expect("the test waits for it");
    });
    let listed = listed.recv_timeout(Duration::from_secs(30)).expect("nobody writes to the pipe");
    let problems = listed.unwrap().problems;
    assert_eq!(problems.len(), 1);
    assert!(problems[0].text().contains("it is not a file"), "{}", problems[0].text());
}

#[test]
fn a_directory_with_too_many_files_is_cut_and_told() {
    let machine = Machine::in_memory();
    for count in 0..=512 {
        let text = two_steps(&format!("user.w{count:04}"));
        machine.write(&format!(".config/piton/workflows/{count:04}.json"), &text);
    }
    let listed = machine.agent().list_workflows(&ListWorkflows::default()).unwrap();
    assert_eq!(listed.problems.len(), 1);
    assert!(listed.problems[0].text().contains("more than 512 workflow files"));
    assert!(listed.workflows.iter().any(|entry| entry.workflow_id == "user.w0511"));
    assert!(!listed.workflows.iter().any(|entry| entry.workflow_id == "user.w0512"));
}

#[test]
fn what_lies_too_deep_is_told_once_with_how_many_more_there_are() {
    let check = |names: &[&str], expected: Option<(&str, &str)>| {
        let machine = Machine::in_memory();
        let place = |name: &str| format!("project/.piton/workflows/{name}");
        for name in names {
            machine.write(&place(&format!("{name}/deep.json")), &two_steps("project.deep"));
        }
        let listed = machine.agent().list_workflows(&ListWorkflows::default()).unwrap();
        let told: Vec<(&str, String)> =
            listed.problems.iter().map(|file| (file.path.as_str(), file.text())).collect();
        let Some((path, words)) = expected else {
            assert!(told.is_empty(), "{told:?}");
            return;
        };
        let [(told_path, text)] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!(*told_path, machine.home().join(place(path)).display().to_string());
        assert!(text.contains(words), "{text}");
        assert!(text.contains("move the workflows in it up"), "{text}");
        assert!(!listed.workflows.iter().any(|entry| entry.workflow_id == "project.deep"));
    };
    check(&["1/2/3/4"], None);
    check(&["1/2/3/4/5"], Some(("1/2/3/4/5", "more than 4 directories deep; move")));
    check(&["b/2/3/4/5/6", "a/2/3/4/5"], Some(("a/2/3/4/5", "as one other directory is;")));
    check(&["1/2/3/4/5", "1/2/3/4/6", "2/2/3/4/5"], Some(("1/2/3/4/5", "as 2 other directories")));
}

#[test]
fn a_broken_configuration_does_not_hide_the_workflows() {
    let machine = Machine::in_memory();
    let agent = machine.agent();
    machine.write("project/piton.toml", "[workflow]\n");
    let listed = agent.list_workflows(&ListWorkflows::default()).unwrap();
    assert!(!listed.workflows.is_empty());
    assert_eq!(listed.config_problems.len(), 1);
    assert!(listed.text().contains("piton.toml:1:2"), "{}", listed.text());
}
