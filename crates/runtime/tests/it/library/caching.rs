//! What was compiled is kept until its file changes.

use std::fs;
use std::sync::Arc;

use piton_runtime::library::{Library, LibraryContents, WorkflowSource};
use piton_workflow::SourceKind;
use piton_workflow::compile::CompiledWorkflow;

use crate::rig::{Machine, two_steps, workflow};

fn compiled(stock: &LibraryContents, id: &str) -> Arc<CompiledWorkflow> {
    Arc::clone(&stock.workflows[id].workflow)
}

#[test]
fn an_unchanged_file_is_not_compiled_again_and_a_changed_one_is() {
    let machine = Machine::in_memory();
    let path = machine.write("flows/a.json", &two_steps("user.a"));
    let directory = path.parent().unwrap().to_path_buf();
    let sources = [WorkflowSource { kind: SourceKind::User, directory, is_named: true }];
    let library = Library::default();
    let first = compiled(&library.contents(&sources), "user.a");
    assert!(Arc::ptr_eq(&first, &compiled(&library.contents(&sources), "user.a")));

    // Written again with the same bytes: still the same.
    fs::remove_file(&path).unwrap();
    fs::write(&path, two_steps("user.a")).unwrap();
    assert!(Arc::ptr_eq(&first, &compiled(&library.contents(&sources), "user.a")));

    // Of the same length, and with its time put back.
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, workflow("user.a", &["fyrst", "second"])).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    let second = compiled(&library.contents(&sources), "user.a");
    assert_eq!(second.steps[0].step_id.as_str(), "fyrst");

    fs::remove_file(&path).unwrap();
    assert!(!library.contents(&sources).workflows.contains_key("user.a"));
}

#[test]
fn an_older_id_follows_when_its_place_is_taken_or_freed() {
    let machine = Machine::in_memory();
    let path = machine.write("flows/a.json", &two_steps("flow"));
    let directory = path.parent().unwrap().to_path_buf();
    let sources = [WorkflowSource { kind: SourceKind::User, directory, is_named: true }];
    let library = Library::default();
    let own = || -> Vec<String> {
        let stock = library.contents(&sources);
        let own = stock.workflows.iter().filter(|(_, one)| one.legacy_id.is_some());
        own.map(|(id, _)| id.to_string()).collect()
    };
    assert_eq!(own(), ["user.flow"]);
    let other = machine.write("flows/b.json", &two_steps("user.flow"));
    assert!(own()[0].starts_with("user.flow_"), "{:?}", own());
    fs::remove_file(other).unwrap();
    assert_eq!(own(), ["user.flow"]);
}

#[test]
fn a_workflow_is_compiled_again_when_a_routine_that_it_sees_changes_and_no_other_is() {
    let machine = Machine::in_memory();
    let file = |id: &str, steps: serde_json::Value| {
        let file = serde_json::json!({
            "id": id, "name": "Sample", "description": "A sample.", "version": "1.0.0", "steps": steps,
        });
        file.to_string()
    };
    let step =
        |prompt: &str| serde_json::json!([{ "id": "look", "title": "Look", "prompt": prompt }]);
    let call = serde_json::json!([{ "id": "again", "title": "Again",
        "templateCall": { "templateId": "wr.templates.routine.look" } }]);
    let caller = machine.write("flows/a/caller.json", &file("user.caller", call));
    machine.write("flows/a/plain.json", &file("user.plain", step("Plain.")));
    machine.write("flows/b/routines/look.json", &file("team.look", step("First.")));
    let above = caller.parent().and_then(std::path::Path::parent).unwrap();
    let source = |name: &str| WorkflowSource {
        kind: SourceKind::User,
        directory: above.join(name),
        is_named: true,
    };
    let sources = [source("a"), source("b")];
    let library = Library::default();
    let caller = compiled(&library.contents(&sources), "user.caller");
    let plain = compiled(&library.contents(&sources), "user.plain");
    assert!(caller.steps[0].prompt.starts_with("First."));
    assert!(Arc::ptr_eq(&caller, &compiled(&library.contents(&sources), "user.caller")));
    machine.write("flows/b/routines/look.json", &file("team.look", step("Second.")));
    let changed = compiled(&library.contents(&sources), "user.caller");
    assert!(changed.steps[0].prompt.starts_with("Second."), "{}", changed.steps[0].prompt);
    assert_ne!(caller.workflow_hash(), changed.workflow_hash());
    assert!(Arc::ptr_eq(&plain, &compiled(&library.contents(&sources), "user.plain")));
    // One beside it counts more than one from a stronger source.
    machine.write("flows/a/look.json", &file("user.routine-look", step("Mine.")));
    assert!(
        compiled(&library.contents(&sources), "user.caller").steps[0].prompt.starts_with("Mine.")
    );
}
