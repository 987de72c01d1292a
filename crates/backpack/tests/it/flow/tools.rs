//! Tools in Rust.

use std::sync::Arc;

use piton_backpack::flow::{FunctionTool, ToolError, Tools};
use serde_json::{Value, json};

fn adder() -> Arc<FunctionTool> {
    let parameters = json!({
        "type": "object",
        "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
        "required": ["a", "b"],
        "additionalProperties": false,
    });
    Arc::new(FunctionTool::new("add", "Adds two numbers", parameters, |arguments: &Value| {
        let sum = arguments["a"].as_i64().unwrap_or(0) + arguments["b"].as_i64().unwrap_or(0);
        std::future::ready(if sum == 13 { Err("13 is refused".to_owned()) } else { Ok(json!(sum)) })
    }))
}

fn tools() -> Tools {
    let mut tools = Tools::new();
    tools.register(adder()).unwrap();
    tools
}

#[tokio::test]
async fn a_tool_is_called_with_checked_arguments() {
    let tools = tools();
    assert_eq!(tools.call("add", &json!({ "a": 1, "b": 2 })).await, Ok(json!(3).into()));
    let refused = tools.call("add", &json!({ "a": "canary", "c": 1 })).await.unwrap_err();
    let ToolError::Arguments { problems, .. } = &refused else { panic!("{refused:?}") };
    assert_eq!(problems.split("; ").count(), 3, "{problems}");
    assert!(!problems.contains("canary"), "values are not quoted: {problems}");
    let failed = tools.call("add", &json!({ "a": 6, "b": 7 })).await.unwrap_err();
    assert_eq!(failed.to_string(), "`add` failed: 13 is refused");
    let unknown = tools.call("sub", &json!({})).await.unwrap_err();
    assert_eq!(unknown.to_string(), "there is no tool `sub`; there is: add");
}

#[test]
fn two_tools_of_one_name_and_a_bad_schema_are_refused() {
    let mut tools = tools();
    assert!(matches!(tools.register(adder()), Err(ToolError::Refused { .. })));
    for (name, schema) in [("bad", json!({ "type": "nonsense" })), ("two words", json!({}))] {
        let tool =
            FunctionTool::new(name, "", schema, |_: &Value| std::future::ready(Ok(json!(1))));
        assert!(matches!(tools.register(Arc::new(tool)), Err(ToolError::Refused { .. })), "{name}");
    }
    assert_eq!(tools.names().collect::<Vec<_>>(), ["add"]);
}

#[tokio::test]
async fn a_tool_that_gives_back_too_much_fails() {
    let large = FunctionTool::new("large", "", json!({ "type": "object" }), |_: &Value| {
        std::future::ready(Ok(json!("x".repeat(1024 * 1024))))
    });
    let mut tools = Tools::new();
    tools.register(Arc::new(large)).unwrap();
    let error = tools.call("large", &json!({})).await.unwrap_err();
    assert!(matches!(error, ToolError::TooLarge { .. }));
}
