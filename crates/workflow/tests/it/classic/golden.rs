//! Files whose compiled form must stay what it is.

use piton_workflow::compile::{CompiledWorkflow, Definitions, compile};
use piton_workflow::source::Dialect;

use super::samples::{EVERYTHING, LOOPS, PLAIN};
use crate::source::origin;

#[test]
fn the_hashes_of_existing_files_stay_what_they_are() {
    let mut lines = Vec::new();
    for (name, text) in [("everything", EVERYTHING), ("loops", LOOPS), ("plain", PLAIN)] {
        let workflow = compile(text, &origin(), &Definitions::standard()).unwrap();
        assert_eq!(workflow.dialect, Dialect::Classic);
        assert_eq!(CompiledWorkflow::read(workflow.canonical().as_bytes()).unwrap(), workflow);
        lines.push(format!("{name} {}", workflow.workflow_hash()));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_compiled_form_of_the_file_with_every_field_is_fixed() {
    let workflow = compile(EVERYTHING, &origin(), &Definitions::standard()).unwrap();
    let text = serde_json::to_string_pretty(&workflow).unwrap();
    insta::assert_snapshot!(text);
}
