//! What was compiled is kept until its file changes.

use std::fs;
use std::sync::Arc;

use piton_runtime::library::{Library, Source, Stock};
use piton_workflow::SourceKind;
use piton_workflow::compile::CompiledWorkflow;

use crate::rig::{Machine, two_steps, workflow};

fn compiled(stock: &Stock, id: &str) -> Arc<CompiledWorkflow> {
    Arc::clone(&stock.workflows[id].workflow)
}

#[test]
fn an_unchanged_file_is_not_compiled_again_and_a_changed_one_is() {
    let machine = Machine::in_memory();
    let path = machine.write("flows/a.json", &two_steps("user.a"));
    let directory = path.parent().unwrap().to_path_buf();
    let sources = [Source { kind: SourceKind::User, directory, is_named: true }];
    let library = Library::default();
    let first = compiled(&library.stock(&sources), "user.a");
    assert!(Arc::ptr_eq(&first, &compiled(&library.stock(&sources), "user.a")));

    // Written again with the same bytes: still the same.
    fs::remove_file(&path).unwrap();
    fs::write(&path, two_steps("user.a")).unwrap();
    assert!(Arc::ptr_eq(&first, &compiled(&library.stock(&sources), "user.a")));

    // Of the same length, and with its time put back.
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, workflow("user.a", &["fyrst", "second"])).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    let second = compiled(&library.stock(&sources), "user.a");
    assert_eq!(second.steps[0].step_id.as_str(), "fyrst");

    fs::remove_file(&path).unwrap();
    assert!(!library.stock(&sources).workflows.contains_key("user.a"));
}

#[test]
fn an_older_id_follows_when_its_place_is_taken_or_freed() {
    let machine = Machine::in_memory();
    let path = machine.write("flows/a.json", &two_steps("flow"));
    let directory = path.parent().unwrap().to_path_buf();
    let sources = [Source { kind: SourceKind::User, directory, is_named: true }];
    let library = Library::default();
    let own = || -> Vec<String> {
        let stock = library.stock(&sources);
        let own = stock.workflows.iter().filter(|(_, one)| one.legacy_id.is_some());
        own.map(|(id, _)| id.to_string()).collect()
    };
    assert_eq!(own(), ["user.flow"]);
    let other = machine.write("flows/b.json", &two_steps("user.flow"));
    assert!(own()[0].starts_with("user.flow_"), "{:?}", own());
    fs::remove_file(other).unwrap();
    assert_eq!(own(), ["user.flow"]);
}
