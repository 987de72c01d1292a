//! Which source wins.

use piton_runtime::request::ListWorkflows;
use piton_workflow::SourceKind;
use piton_workflow::builtin_workflows::BuiltinWorkflow;

use crate::rig::{Machine, two_steps, workflow};

#[test]
fn later_sources_win_and_what_they_shadow_is_listed() {
    let mut machine = Machine::in_memory();
    let id = "team.review";
    let user = machine.write(".config/piton/workflows/r.json", &workflow(id, &["u"]));
    let first = machine.write("one/r.json", &workflow(id, &["one"]));
    let second = machine.write("two/r.json", &workflow(id, &["two"]));
    let project = machine.write("project/.piton/workflows/r.json", &workflow(id, &["p"]));
    let dirs = std::env::join_paths([first.parent().unwrap(), second.parent().unwrap()]).unwrap();
    machine.set("PITON_WORKFLOW_DIRS", dirs.to_str().unwrap());

    let listed = machine.agent().list_workflows(&ListWorkflows::default()).unwrap();
    let entry = listed.workflows.iter().find(|entry| entry.workflow_id == id).unwrap();
    assert_eq!(entry.source_kind, SourceKind::Project);
    let shadowed: Vec<_> =
        listed.shadowed.iter().map(|one| (one.path.clone(), one.by.clone())).collect();
    let shown = |path: &std::path::PathBuf| path.display().to_string();
    let expected = [(&user, &first), (&first, &second), (&second, &project)];
    assert_eq!(shadowed, expected.map(|(path, by)| (shown(path), shown(by))));
    assert!(listed.problems.is_empty());
}

// shows: WR-397, WR-398
#[test]
fn a_bundled_workflow_is_never_shadowed_and_the_file_that_tries_is_told() {
    let machine = Machine::in_memory();
    let path = machine.write("project/.piton/workflows/mine.json", &two_steps("wr.code_review"));
    let listed = machine.agent().list_workflows(&ListWorkflows::default()).unwrap();
    let entry =
        listed.workflows.iter().find(|entry| entry.workflow_id == "wr.code_review").unwrap();
    assert_eq!(entry.source_kind, SourceKind::Bundled);
    assert_eq!(entry.workflow_hash, BuiltinWorkflow::CodeReview.compiled().workflow_hash());
    assert_eq!(listed.problems.len(), 1);
    assert_eq!(listed.problems[0].path, path.display().to_string());
    assert!(listed.problems[0].text().contains("`project.code_review`"), "{}", listed.text());
}

#[test]
fn the_list_is_sorted_and_holds_every_bundled_workflow_with_its_use() {
    let machine = Machine::in_memory();
    machine.write(".config/piton/workflows/a.json", &two_steps("zz.last"));
    machine.write(".config/piton/workflows/b.json", &two_steps("aa.first"));
    let listed = machine.agent().list_workflows(&ListWorkflows::default()).unwrap();
    let ids: Vec<&str> = listed.workflows.iter().map(|entry| entry.workflow_id.as_str()).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    assert_eq!((ids[0], ids[ids.len() - 1]), ("aa.first", "zz.last"));
    for bundled in BuiltinWorkflow::ALL {
        let entry = listed.workflows.iter().find(|entry| entry.workflow_id == bundled.as_str());
        assert_eq!(entry.unwrap().when_to_use.as_deref(), Some(bundled.when_to_use()));
    }
}

#[test]
fn files_below_are_found_and_hidden_or_other_files_are_not() {
    let machine = Machine::in_memory();
    for (name, id) in [
        ("deep/er/a.json", "user.a"),
        (".hidden/b.json", "user.b"),
        ("c.jsonc", "user.c"),
        (".d.json", "user.d"),
        ("1/2/3/4/e.json", "user.e"),
        ("1/2/3/4/5/f.json", "user.f"),
    ] {
        machine.write(&format!(".config/piton/workflows/{name}"), &two_steps(id));
    }
    let listed = machine.agent().list_workflows(&ListWorkflows::default()).unwrap();
    let own = listed.workflows.iter().filter(|entry| entry.source_kind == SourceKind::User);
    let ids: Vec<&str> = own.map(|entry| entry.workflow_id.as_str()).collect();
    assert_eq!(ids, ["user.a", "user.e"]);
}
