//! A flow as a picture, and as JSON again.

use piton_backpack::flow::{Action, Flow, Registry};
use serde_json::{Value, json};

use crate::flow::config::registry;
use crate::flow::probe::Probe;

const EXAMPLE: &str = include_str!("data/research.json");

// shows in part: BP-078 (the part about Mermaid)
#[test]
fn a_flow_is_drawn_with_its_types_conditions_and_inner_flows() {
    let flow = Flow::from_json(EXAMPLE, &registry()).unwrap().flow;
    insta::assert_snapshot!(flow.to_mermaid());
}

#[test]
fn what_mermaid_would_misread_is_escaped() {
    let mut flow = Flow::new();
    let a = flow.add("a", Probe::new().named("<b>\"x\"#")).unwrap();
    flow.on(a, "say \"no\" #1", a).unwrap();
    let text = flow.to_mermaid();
    assert!(text.contains("n0[\"a<br/>#lt;b#gt;#quot;x#quot;#35;\"]"), "{text}");
    assert!(text.contains("-->|\"say #quot;no#quot; #35;1\"| n0"), "{text}");
}

// shows: BP-078 (with a_flow_is_drawn_with_its_types_conditions_and_inner_flows)
#[test]
fn a_flow_is_written_as_it_was_read() {
    let registry = registry();
    let flow = Flow::from_json(EXAMPLE, &registry).unwrap().flow;
    let expected: Value = serde_json::from_str(EXAMPLE).unwrap();
    assert_eq!(flow.to_json(), expected);
    let again = Flow::from_json(&flow.to_json().to_string(), &registry).unwrap().flow;
    assert_eq!(again.to_json(), expected);
    assert_eq!(again.digest(), flow.digest());
}

#[test]
fn a_flow_that_was_built_in_code_is_written_too() {
    let mut inner = Flow::within("reports").unwrap();
    inner.add("daily", Probe::new().named("ReportNode")).unwrap();
    let mut flow = Flow::within("sales").unwrap();
    let params = json!({ "tone": "dry" }).as_object().unwrap().clone();
    let chat =
        flow.add("chat", Probe::ending(Action::End).named("ChatNode").with_params(params)).unwrap();
    let sub = flow.add("reports", inner).unwrap();
    flow.on(chat, "report", sub).unwrap();
    flow.start_at(sub).unwrap();
    let written = flow.to_json();
    assert_eq!(
        written,
        json!({
            "version": "2.0.0", "namespace": "sales", "start": "reports",
            "nodes": [{ "id": "chat", "type": "ChatNode", "params": { "tone": "dry" } }],
            "edges": [{ "from": "chat", "to": "reports", "condition": "report" }],
            "subflows": [{ "id": "reports", "namespace": "reports",
                "nodes": [{ "id": "daily", "type": "ReportNode" }] }],
        })
    );
    let loaded: Registry = registry();
    assert_eq!(Flow::from_json(&written.to_string(), &loaded).unwrap().flow.to_json(), written);
}

#[test]
fn a_node_cannot_have_the_name_of_the_runner() {
    let problem = "`flow` is the name of the runner in the backpack; choose another id";
    let error = Flow::new().add("flow", Probe::new()).unwrap_err().to_string();
    assert!(error.contains(problem), "{error}");
    let text = json!({ "nodes": [{ "id": "flow", "type": "template" }] }).to_string();
    let error = Flow::from_json(&text, &registry()).unwrap_err().to_string();
    assert!(error.contains(problem), "{error}");
    Flow::new().add("flows", Probe::new()).unwrap();
}
