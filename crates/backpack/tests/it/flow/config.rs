//! Flows from JSON.

use piton_backpack::Permissions;
use piton_backpack::flow::config::ParamProblem;
use piton_backpack::flow::{
    Action, Contract, Flow, Mappings, NodeBody, NodeSettings, Registry, RetryRule, Severity,
};
use piton_core::Code;
use serde_json::{Value, json};

use crate::flow::probe::Probe;
use crate::flow::site::{state, visited, watch};

/// The types that the examples of the specification name, and one that is made from its parameters.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::new();
    for (name, segment) in [
        ("ChatNode", Some("chat")),
        ("SearchNode", None),
        ("SummaryNode", Some("summary")),
        ("ReportNode", None),
    ] {
        registry
            .register(name, move |request| {
                let probe = Probe::new().named(name).with_params(request.params.clone());
                Ok(NodeBody::from(segment.map_or(probe.clone(), |segment| probe.segment(segment))))
            })
            .unwrap();
    }
    registry
        .register("set", |request| {
            let value = request.params.get("value").cloned();
            let value = value.ok_or_else(|| vec![ParamProblem::new("value", "it is missing")])?;
            let action = request.params.get("action").and_then(Value::as_str).unwrap_or("default");
            let action = Action::named(action);
            Ok(NodeBody::from(set(value, action).with_params(request.params.clone())))
        })
        .unwrap();
    registry
}

fn set(value: Value, action: Action) -> Probe {
    Probe::new().named("set").post(move |context, _| {
        let (value, action) = (value.clone(), action.clone());
        Box::pin(async move {
            context.pack("value", &value).await?;
            Ok(action)
        })
    })
}

// shows in part: BP-076 (the part about the specification's examples)
#[tokio::test]
async fn the_examples_of_the_specification_load_as_given() {
    let reports = r#"{
      "version": "2.0.0", "namespace": "sales",
      "nodes": [{ "id": "chat-node", "type": "ChatNode" }],
      "subflows": [{ "id": "reports", "namespace": "reports",
        "nodes": [{ "id": "daily", "type": "ReportNode" }] }]
    }"#;
    let loaded = Flow::from_json(reports, &registry()).unwrap();
    assert_eq!(loaded.warnings.len(), 1, "no edge leads to the subflow");
    let (_, events) = watch(&loaded.flow, &state(&[])).await;
    let spaces: Vec<&str> = events
        .iter()
        .filter_map(|event| event.namespace())
        .map(piton_core::Namespace::as_str)
        .collect();
    assert!(spaces.iter().all(|space| *space == "sales.chat"), "{spaces:?}");
    let routing = r#"{
      "namespace": "sales",
      "nodes": [
        { "id": "chat", "type": "ChatNode" },
        { "id": "search", "type": "SearchNode" },
        { "id": "summary", "type": "SummaryNode" }
      ],
      "edges": [
        { "from": "chat", "to": "search", "condition": "needs_search" },
        { "from": "chat", "to": "summary", "condition": "direct_answer" },
        { "from": "search", "to": "summary", "condition": "default" }
      ]
    }"#;
    let loaded = Flow::from_json(routing, &registry()).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    assert_eq!(loaded.flow.ids().collect::<Vec<_>>(), ["chat", "search", "summary"]);
    let (_, events) = watch(&loaded.flow, &state(&[])).await;
    assert_eq!(visited(&events), ["chat"], "the first node is the start");
}

/// The same graph, once from JSON and once in code.
fn twins() -> [Flow; 2] {
    let text = json!({
        "version": "2.0.0", "namespace": "twin", "start": "b",
        "nodes": [
            { "id": "a", "type": "set", "params": { "value": 1 },
              "inputs": { "copy": { "type": "integer" } }, "outputs": { "value": { "const": 1 } } },
            { "id": "b", "type": "set", "segment": "bee", "params": { "value": 2, "action": "on" },
              "permissions": { "read": ["value"], "write": ["value", "copy"] },
              "retry": { "attempts": 2 } },
        ],
        "edges": [{ "from": "b", "to": "inner", "condition": "on", "mappings": { "value": "copy" } },
                  { "from": "inner", "to": "a" }],
        "subflows": [{ "id": "inner", "nodes": [{ "id": "c", "type": "set", "params": { "value": 3 } }] }],
    });
    let from_json = Flow::from_json(&text.to_string(), &registry()).unwrap().flow;
    let params = |value: Value| value.as_object().unwrap().clone();
    let node =
        |value: Value, action: Action, given: Value| set(value, action).with_params(params(given));
    let mut inner = Flow::new();
    inner.add("c", node(json!(3), Action::Default, json!({ "value": 3 }))).unwrap();
    let mut flow = Flow::within("twin").unwrap();
    let inputs = Contract::new().with("copy", &json!({ "type": "integer" })).unwrap();
    let outputs = Contract::new().with("value", &json!({ "const": 1 })).unwrap();
    let settings = NodeSettings { inputs, outputs, ..NodeSettings::default() };
    let a = flow
        .add_with("a", node(json!(1), Action::Default, json!({ "value": 1 })), settings)
        .unwrap();
    let permissions =
        Permissions::none().reading(["value"]).unwrap().writing(["value", "copy"]).unwrap();
    let settings = NodeSettings {
        segment: Some("bee".to_owned()),
        permissions: Some(permissions),
        retry: RetryRule { attempts: 2, wait_ms: 0 },
        ..NodeSettings::default()
    };
    let given = json!({ "value": 2, "action": "on" });
    let b = flow.add_with("b", node(json!(2), Action::named("on"), given), settings).unwrap();
    let inner = flow.add("inner", inner).unwrap();
    let key = |text: &str| piton_backpack::Key::parse(text).unwrap();
    flow.on_with(b, "on", inner, Mappings::from([(key("value"), key("copy"))])).unwrap();
    flow.next(inner, a).unwrap();
    flow.start_at(b).unwrap();
    [from_json, flow]
}

// shows: BP-076 (with the_examples_of_the_specification_load_as_given)
#[tokio::test]
async fn the_same_graph_in_code_and_from_json_behaves_the_same() {
    let [from_json, in_code] = twins();
    assert_eq!(from_json.to_json(), in_code.to_json());
    let (first, second) =
        (watch(&from_json, &state(&[])).await, watch(&in_code, &state(&[])).await);
    assert_eq!(first.0.outcome.unwrap(), second.0.outcome.unwrap());
    assert_eq!(visited(&first.1), ["b", "inner", "inner/c", "a"]);
    assert_eq!(first.1, second.1, "event for event");
}

fn problems(text: &str) -> Vec<(Severity, String, String)> {
    let found = Flow::check_json(text, &registry());
    found.into_iter().map(|problem| (problem.severity, problem.path, problem.message)).collect()
}

#[track_caller]
fn refuses(text: &Value, path: &str, words: &str) {
    let found = problems(&text.to_string());
    let [(Severity::Error, at, message)] = found.as_slice() else { panic!("{text}: {found:?}") };
    assert_eq!(at, path, "{message}");
    assert!(message.contains(words), "{message}");
}

// shows: BP-077
#[test]
fn each_problem_of_a_description_has_its_place() {
    let node = |id: &str| json!({ "id": id, "type": "ChatNode" });
    let nodes = |nodes: Value| json!({ "nodes": nodes });
    let edge = |edge: Value| json!({ "nodes": [node("a")], "edges": [edge] });
    let with = |field: &str, value: Value| {
        let mut node = node("a");
        node[field] = value;
        nodes(json!([node]))
    };
    refuses(&json!([]), "", "an object is expected");
    refuses(&json!({ "nodes": [] }), "nodes", "no node to start at");
    refuses(&json!({ "nodes": {} }), "nodes", "a list is expected");
    refuses(
        &json!({ "version": "9", "nodes": [node("a")] }),
        "version",
        "this program reads 2.0.0",
    );
    refuses(&json!({ "nodes": [node("a")], "start": "b" }), "start", "no node or subflow `b`");
    refuses(&json!({ "nodes": [node("a")], "namespace": "a..b" }), "namespace", "segment");
    refuses(&json!({ "nodes": [node("a")], "extra": 1 }), "extra", "no such field");
    refuses(&nodes(json!([{ "id": "a" }])), "nodes[0].type", "missing");
    refuses(&nodes(json!([{ "type": "ChatNode" }])), "nodes[0].id", "missing");
    refuses(&nodes(json!([{ "id": "a", "type": "Nope" }])), "nodes[0].type", "no type `Nope`");
    refuses(&nodes(json!([node("a b")])), "nodes[0].id", "no id");
    refuses(&with("params", json!([])), "nodes[0].params", "an object is expected");
    refuses(
        &with("retry", json!({ "attempts": 0 })),
        "nodes[0].retry.attempts",
        "between 1 and 100",
    );
    refuses(&with("retry", json!({ "times": 1 })), "nodes[0].retry", "times");
    refuses(&with("permissions", json!({ "reed": [] })), "nodes[0].permissions", "reed");
    refuses(
        &with("permissions", json!({ "namespaceRead": ["a..b"] })),
        "nodes[0].permissions",
        "segment",
    );
    refuses(&with("inputs", json!({ "k": { "type": "x" } })), "nodes[0].inputs.k", "JSON Schema");
    // No digest could name them exactly.
    let large = json!({ "arguments": [9_007_199_254_740_993_u64] });
    refuses(&with("params", large), "nodes[0].params", "write it as a string");
    let large = json!({ "k": { "type": "integer", "maximum": 9_007_199_254_740_993_u64 } });
    refuses(&with("inputs", large.clone()), "nodes[0].inputs", "9007199254740993");
    refuses(&with("outputs", large), "nodes[0].outputs", "9007199254740993");
    refuses(&with("segment", json!("*")), "nodes[0].segment", "*");
    refuses(&nodes(json!([{ "id": "a", "type": "set" }])), "nodes[0].params.value", "missing");
    refuses(&edge(json!({ "from": "a", "to": "b" })), "edges[0].to", "no node or subflow `b`");
    refuses(&edge(json!({ "from": "a" })), "edges[0].to", "missing");
    refuses(
        &edge(json!({ "from": "a", "to": "a", "condition": "" })),
        "edges[0].condition",
        "1 to 64",
    );
    let mappings = json!({ "x": "z", "y": "z" });
    let twice = json!({ "from": "a", "to": "a", "mappings": mappings });
    refuses(&edge(twice), "edges[0].mappings.y", "two keys are copied to `z`");
    let same = json!({ "nodes": [node("a"), node("a")] });
    refuses(&same, "nodes[1].id", "`a` is there already");
    let same = json!({ "nodes": [node("a")], "edges": [{ "from": "a", "to": "a" }, { "from": "a", "to": "a" }] });
    refuses(&same, "edges[1].condition", "one condition leads to one node");
    let sub = json!({ "nodes": [node("a")], "subflows": [{ "nodes": [node("b")] }] });
    let found = problems(&sub.to_string());
    assert_eq!(found[0].1, "subflows[0].id");
    let broken = problems("{ \"nodes\": [");
    assert!(broken[0].2.contains("line 1"), "{broken:?}");
}

// shows in part: BP-077 (the part about all problems at once)
#[test]
fn every_problem_is_told_at_once_and_nothing_is_built() {
    let text = json!({
        "version": "1",
        "nodes": [{ "id": "a", "type": "Nope" }, { "id": "b" }, { "id": "c", "type": "ChatNode" },
                  { "id": "c", "type": "ChatNode" }],
        "edges": [{ "from": "a", "to": "x" }, { "from": "y", "to": "c" }],
        "subflows": [{ "id": "s", "nodes": [{ "id": "t", "type": "Nope" }] }],
    });
    let error = Flow::from_json(&text.to_string(), &registry()).unwrap_err();
    assert_eq!(error.code(), Code::FlowInvalid);
    let found = problems(&text.to_string());
    let errors = found.iter().filter(|problem| problem.0 == Severity::Error);
    let paths: Vec<&str> = errors.map(|problem| problem.1.as_str()).collect();
    let expected = [
        "version",
        "nodes[1].type",
        "nodes[0].type",
        "nodes[3].id",
        "subflows[0].nodes[0].type",
        "edges[0].to",
        "edges[1].from",
    ];
    assert_eq!(paths, expected);
}

// shows in part: BP-077 (the part about a node that cannot be reached)
#[test]
fn a_node_that_cannot_be_reached_is_a_warning() {
    let node = |id: &str| json!({ "id": id, "type": "ChatNode" });
    let text = json!({ "nodes": [node("a"), node("b"), node("c")], "edges": [{ "from": "b", "to": "c" }] });
    let loaded = Flow::from_json(&text.to_string(), &registry()).unwrap();
    let told: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        ["nodes[1]: no way leads to `b` from `a`", "nodes[2]: no way leads to `c` from `a`"]
    );
    assert!(loaded.warnings.iter().all(|warning| warning.severity == Severity::Warning));
}

#[test]
fn flows_lie_inside_each_other_to_a_limit() {
    let mut text = json!({ "id": "s", "nodes": [{ "id": "a", "type": "ChatNode" }] });
    for _ in 0..8 {
        text =
            json!({ "id": "s", "nodes": [{ "id": "a", "type": "ChatNode" }], "subflows": [text] });
    }
    let found = problems(&text.to_string());
    assert!(found.iter().any(|problem| problem.2.contains("more than 8 flows")), "{found:?}");
}

#[test]
fn a_type_is_registered_once() {
    let mut registry = registry();
    let error = registry.register("set", |_| Ok(NodeBody::from(Probe::new()))).unwrap_err();
    assert!(error.to_string().contains("there is a type `set` already"));
}

#[test]
fn an_error_is_told_whatever_number_of_warnings_came_before_it() {
    let nodes: Vec<Value> =
        (0..150).map(|n| json!({ "id": format!("n{n}"), "type": "ReportNode" })).collect();
    let text = json!({
        "nodes": [{ "id": "first", "type": "ReportNode" }],
        "subflows": [{ "id": "inner", "nodes": nodes }],
        "edges": [{ "from": "first", "to": "inner" }, { "from": "first", "to": "nowhere" }],
    });
    let problems = Flow::check_json(&text.to_string(), &registry());
    assert_eq!(problems.len(), 100);
    let errors: Vec<String> = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(ToString::to_string)
        .collect();
    assert_eq!(errors, ["edges[1].to: there is no node or subflow `nowhere`"]);
    assert!(Flow::from_json(&text.to_string(), &registry()).is_err());
}
