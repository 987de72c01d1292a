//! What nodes need and hand on.

use piton_backpack::Permissions;
use piton_backpack::flow::{Action, Contract, Error, Flow, NodeSettings, Phase};
use piton_core::Code;
use serde_json::json;

use crate::flow::probe::Probe;
use crate::flow::site::{finish, run, state};

fn inputs(contract: Contract) -> NodeSettings {
    NodeSettings { inputs: contract, ..NodeSettings::default() }
}

#[tokio::test]
async fn every_violation_of_what_a_node_needs_is_told_before_it_runs() {
    let contract = Contract::new()
        .with("count", &json!({ "type": "integer", "minimum": 1 }))
        .unwrap()
        .with("query", &json!({ "type": "object", "required": ["text", "limit"] }))
        .unwrap()
        .with("there", &json!({}))
        .unwrap();
    let never = Probe::new().prep(|_| panic!("it must not run"));
    let mut flow = Flow::new();
    flow.add_with("strict", never, inputs(contract)).unwrap();
    let state = state(&[("count", json!("canary")), ("query", json!({ "text": "canary" }))]);
    let error = run(&flow, &state).await.outcome.unwrap_err();
    assert_eq!(error.code(), Code::FlowContractBroken);
    let Error::Contract { node, phase, violations, .. } = &error else { panic!("{error:?}") };
    assert_eq!((node.as_str(), *phase), ("strict", Phase::Inputs));
    assert_eq!(violations.len(), 3, "{violations:?}");
    for (violation, key) in violations.iter().zip(["`count`", "`query`", "`there` is not there"]) {
        assert!(violation.starts_with(key), "{violation}");
    }
    assert!(!error.to_string().contains("canary"), "values are not quoted: {error}");
}

#[tokio::test]
async fn what_a_node_hands_on_is_checked_too() {
    let outputs = Contract::new().with("answer", &json!({ "type": "string" })).unwrap();
    for (value, good) in [(json!("yes"), true), (json!(1), false)] {
        let mut flow = Flow::new();
        let settings = NodeSettings { outputs: outputs.clone(), ..NodeSettings::default() };
        flow.add_with("a", Probe::packing("answer", value), settings).unwrap();
        let outcome = run(&flow, &state(&[])).await.outcome;
        assert_eq!(outcome.is_ok(), good, "{outcome:?}");
        if let Err(error) = outcome {
            assert!(error.to_string().starts_with("the outputs of node `a`"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_node_is_told_the_same_of_a_denied_key_as_of_a_missing_one() {
    let contract = Contract::new().with("secret", &json!({ "type": "integer" })).unwrap();
    let permissions = Some(Permissions::none().reading(["other"]).unwrap());
    let told = |initial: &'static str| {
        let settings =
            NodeSettings { permissions: permissions.clone(), ..inputs(contract.clone()) };
        async move {
            let mut flow = Flow::new();
            flow.add_with("a", Probe::new(), settings).unwrap();
            run(&flow, &state(&[(initial, json!(1))])).await.outcome.unwrap_err().to_string()
        }
    };
    assert_eq!(told("secret").await, told("unrelated").await);
}

#[tokio::test]
async fn looking_at_inputs_leaves_no_trace() {
    let contract = Contract::new().with("count", &json!({ "type": "integer" })).unwrap();
    let mut flow = Flow::new();
    flow.add_with("a", Probe::ending(Action::End), inputs(contract)).unwrap();
    let state = state(&[("count", json!(1))]);
    finish(&flow, &state).await;
    let node = piton_backpack::NodeId::parse("a").unwrap();
    let reads = state.backpack().debug().access_log(&node, piton_backpack::Access::Read);
    assert!(reads.is_empty());
}

#[test]
fn a_schema_that_is_none_is_refused() {
    let error = Contract::new().with("a", &json!({ "type": "nonsense" })).unwrap_err();
    assert_eq!(error.code(), Code::FlowInvalid);
}
