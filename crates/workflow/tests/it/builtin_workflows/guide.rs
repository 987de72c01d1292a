//! The guide for authors keeps its word.

use std::collections::BTreeSet;

use piton_workflow::compile::WarningCode;
use serde_json::{Value, json};

use crate::source::compile_value;

const GUIDE: &str = include_str!("../../../../../docs/authoring.md");

/// The JSON examples of the guide.
fn examples() -> Vec<Value> {
    let blocks = GUIDE.split("```json\n").skip(1);
    let text = |block: &str| block.split("```").next().unwrap_or_default().to_owned();
    blocks.map(|block| serde_json::from_str(&text(block)).expect("an example is JSON")).collect()
}

/// The codes of the warnings about `source`, which must compile.
#[track_caller]
fn warnings(source: &Value) -> BTreeSet<WarningCode> {
    let compiled = compile_value(source).unwrap_or_else(|problems| panic!("{problems:#?}"));
    compiled.compiled_warnings.iter().map(|warning| warning.code).collect()
}

// shows in part: WR-561 (the document)
// shows in part: BP-121 (the tutorial of workflows)
#[test]
fn the_examples_of_the_guide_compile_and_no_lint_flags_them() {
    let examples = examples();
    let [call, workflow, delegation] = examples.as_slice() else {
        panic!("the guide has three examples");
    };
    assert!(call.to_string().contains("templateCall"), "a routine is called: {call}");
    let advice = BTreeSet::from([WarningCode::ContractPreferred]);
    assert_eq!(warnings(workflow), advice);
    assert_eq!(delegation["templateId"], "wr.templates.delegation");
    assert_eq!(warnings(&json!({"id": "a.b", "steps": [delegation]})), advice);
}

// shows in part: WR-561 (the document)
#[test]
fn a_prompt_with_what_the_guide_lists_delegates_well() {
    let (_, section) = GUIDE.split_once("## Have subagents do it").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let points: Vec<_> = section.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(points.len(), 5);
    let flagged = |prompt: String| {
        let step = json!({"id": "s", "title": "S", "prompt": prompt});
        warnings(&json!({"id": "a.b", "steps": [step]}))
    };
    assert_eq!(flagged(points.join("\n")), BTreeSet::new());
    for left_out in 0..points.len() {
        let mut fewer = points.clone();
        fewer.remove(left_out);
        assert_eq!(flagged(fewer.join("\n")).len(), 1, "without {}", points[left_out]);
    }
}
