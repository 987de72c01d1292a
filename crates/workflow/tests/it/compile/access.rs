//! What a step says that an agent may touch.

use piton_workflow::compile::{FileScope, StepAccess};
use serde_json::{Value, json};

use crate::classic::samples as classic;
use crate::source::compile_value;

fn access() -> Value {
    json!({
        "workspaces": [{ "prefix": "/docs", "scope": "read-only" }, { "prefix": "/out", "scope": "write-only" }],
        "context": "reader",
        "state": { "read": ["plan"], "write": [] },
    })
}

/// A file of one step in each dialect.
fn files(access: &Value) -> [Value; 2] {
    let step = json!({ "id": "one", "title": "One", "prompt": "Do it.", "access": access });
    let strict = json!({ "id": "project.a", "steps": [step] });
    let mut classic = strict.clone();
    for (name, text) in [("version", "1.0.0"), ("name", "A"), ("description", "For tests.")] {
        classic[name] = json!(text);
    }
    [strict, classic]
}

#[test]
fn a_step_says_what_may_be_touched_and_its_prompt_says_so_in_both_dialects() {
    for file in files(&access()) {
        let compiled = classic::compiled(&file);
        let step = &compiled.steps[0];
        let StepAccess { workspaces, .. } = step.access.clone().unwrap();
        assert_eq!(workspaces.unwrap()[1].scope, FileScope::WriteOnly);
        let lines = "\n\n---\nWHAT YOU MAY TOUCH IN THIS STEP:\n\
                     - Files: `/docs` (read-only), `/out` (write-only)\n\
                     - Context: read it\n\
                     - State: read `plan`; write nothing\n";
        assert!(step.prompt.contains(lines), "{}", step.prompt);
        assert!(compiled.narrows());
    }
}

#[test]
fn what_may_be_touched_is_part_of_the_hash_and_a_step_without_it_is_as_before() {
    for (narrow, plain) in files(&access()).into_iter().zip(files(&Value::Null)) {
        let mut plain = plain;
        plain["steps"][0].as_object_mut().unwrap().remove("access");
        let (narrow, plain) = (classic::compiled(&narrow), classic::compiled(&plain));
        assert_ne!(narrow.workflow_hash(), plain.workflow_hash());
        assert!(!plain.narrows());
        assert!(!serde_json::to_string(&plain).unwrap().contains("access"));
    }
}

#[test]
fn the_steps_that_follow_from_a_step_may_touch_what_it_may() {
    let [_, mut file] = files(&access());
    file["steps"][0]["verification"] = json!({ "command": "make test" });
    let compiled = classic::compiled(&file);
    let steps: Vec<_> = compiled.steps.iter().map(|step| step.access.is_some()).collect();
    assert_eq!(steps, [true, true]);
}

#[test]
fn what_cannot_be_meant_is_told_with_its_place() {
    let cases = [
        (json!({}), "/steps/0/access empty"),
        (json!({ "files": [] }), "/steps/0/access/files unknown_field"),
        (json!({ "context": "owner" }), "/steps/0/access/context unknown_name"),
        (
            json!({ "workspaces": [{ "prefix": "docs", "scope": "read-only" }] }),
            "/steps/0/access/workspaces/0/prefix invalid_id",
        ),
        (
            json!({ "workspaces": [{ "prefix": "/a/../b", "scope": "read-only" }] }),
            "/steps/0/access/workspaces/0/prefix invalid_id",
        ),
        (
            json!({ "workspaces": [{ "prefix": "/a", "scope": "all" }] }),
            "/steps/0/access/workspaces/0/scope unknown_name",
        ),
        (
            json!({ "workspaces": [
                { "prefix": "/a", "scope": "read-only" }, { "prefix": "/a", "scope": "read-write" },
            ] }),
            "/steps/0/access/workspaces/1 duplicate_id",
        ),
        (json!({ "state": { "read": [3] } }), "/steps/0/access/state/read/0 wrong_type"),
    ];
    for (access, expected) in cases {
        for file in files(&access) {
            let problems = compile_value(&file).unwrap_err();
            let told: Vec<_> =
                problems.iter().map(|found| format!("{} {}", found.path, found.code)).collect();
            assert!(told.iter().any(|one| one == expected), "{access}: {told:?}");
        }
    }
}
