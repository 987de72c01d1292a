//! Namespaces compose.

use piton_backpack::flow::graph::compose_namespace;
use piton_backpack::flow::{Flow, NodeSettings};
use piton_core::Namespace;
use serde_json::json;

use crate::flow::probe::Probe;
use crate::flow::site::{finish, state};

// shows: BP-073
#[test]
fn a_namespace_is_the_flow_and_the_segment_of_the_node_the_configuration_or_the_id() {
    let table = [
        (Some("sales"), Some("summary"), None, "node-123", "sales.summary"),
        (Some("sales.reports"), Some("daily"), None, "n-1", "sales.reports.daily"),
        (None, Some("root"), None, "node-1", "root"),
        (Some("sales"), None, None, "node-123", "sales.node-123"),
        (Some("sales"), None, Some("said"), "node-123", "sales.said"),
        (Some("sales"), Some("own"), Some("said"), "node-123", "sales.own"),
    ];
    for (parent, own, said, id, expected) in table {
        let parent = parent.map(|text| Namespace::parse(text).unwrap());
        assert_eq!(compose_namespace(parent.as_ref(), own, said, id).unwrap().as_str(), expected);
    }
}

fn namespace_of(state: &piton_backpack::flow::FlowState, key: &str) -> String {
    let item = state.backpack().debug().item(key).unwrap().unwrap();
    item.namespace().unwrap().to_string()
}

// shows: BP-074
// shows in part: BP-073 (the part about the configuration's segment)
#[tokio::test]
async fn one_node_works_in_two_flows_with_different_namespaces() {
    let node = Probe::packing("value", json!(1)).segment("chat");
    for space in ["sales", "support"] {
        let mut flow = Flow::within(space).unwrap();
        let a = flow.add("a", node.clone()).unwrap();
        let settings = NodeSettings { segment: Some("said".to_owned()), ..NodeSettings::default() };
        let b = flow.add_with("b", Probe::packing("other", json!(2)), settings).unwrap();
        flow.next(a, b).unwrap();
        let state = state(&[]);
        finish(&flow, &state).await;
        assert_eq!(namespace_of(&state, "value"), format!("{space}.chat"));
        assert_eq!(namespace_of(&state, "other"), format!("{space}.said"));
    }
}

// shows: BP-075
// shows in part: BP-072 (a flow as a node)
#[tokio::test]
async fn an_inner_flow_shares_the_backpack_and_extends_the_namespace() {
    let mut agent = Flow::new();
    agent.add("chat", Probe::packing("said", json!("hello"))).unwrap();
    let mut flow = Flow::within("sales").unwrap();
    let research = flow.add("researchAgent", agent).unwrap();
    let reader = Probe::new().prep(|context| {
        Box::pin(async move {
            let said: String = context.unpack_required("said").await?;
            Ok(json!(said))
        })
    });
    let last = flow.add("reader", reader).unwrap();
    flow.next(research, last).unwrap();
    let state = state(&[]);
    finish(&flow, &state).await;
    assert_eq!(namespace_of(&state, "said"), "sales.researchAgent.chat");
    let item = state.backpack().debug().item("said").unwrap().unwrap();
    assert_eq!(item.source().id.as_str(), "researchAgent/chat");
}

#[tokio::test]
async fn an_inner_flow_with_a_namespace_of_its_own_uses_that() {
    let mut inner = Flow::within("reports").unwrap();
    inner.add("daily", Probe::packing("report", json!(1))).unwrap();
    let mut flow = Flow::within("sales").unwrap();
    flow.add("sub", inner).unwrap();
    let state = state(&[]);
    finish(&flow, &state).await;
    assert_eq!(namespace_of(&state, "report"), "sales.reports.daily");
}

#[tokio::test]
async fn a_composite_node_runs_any_number_of_times() {
    let mut inner = Flow::new();
    inner.add("count", Probe::counting("count")).unwrap();
    let again = Probe::new().prep(|context| {
        Box::pin(async move { Ok(json!(context.unpack_required::<u64>("count").await?)) })
    });
    let again = again.exec(|prepared, _| Box::pin(std::future::ready(Ok(prepared.clone())))).post(
        |_, count| {
            let more = count.as_u64().unwrap() < 3;
            let action = if more { "again" } else { "enough" };
            Box::pin(std::future::ready(Ok(piton_backpack::flow::Action::named(action))))
        },
    );
    let mut flow = Flow::new();
    let inner = flow.add("inner", inner).unwrap();
    let again = flow.add("again", again).unwrap();
    flow.next(inner, again).unwrap();
    flow.on(again, "again", inner).unwrap();
    let state = state(&[]);
    finish(&flow, &state).await;
    assert_eq!(crate::flow::site::value(&state, "count"), json!(3));
}
