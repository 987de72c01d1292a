//! What a workflow and a caller may not bring.

use serde_json::json;

use crate::engine::samples::{source, step};
use crate::source::compile_value;

// shows: WR-427
#[test]
fn a_workflow_brings_no_schema_of_its_context() {
    for field in ["contextSchema", "contextSchemas", "inputs"] {
        let mut file = source(&[step("one")]);
        file[field] = json!({"type": "object"});
        let problems = compile_value(&file).unwrap_err();
        let told: Vec<_> = problems.iter().map(|problem| problem.path.to_string()).collect();
        assert_eq!(told, [format!("/{field}")]);
    }
}
