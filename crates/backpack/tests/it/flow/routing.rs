//! Where a flow goes on.

use piton_backpack::flow::{Action, EventKind, Flow};
use piton_core::Code;

use crate::flow::probe::Probe;
use crate::flow::site::{finish, state, visited, watch};

// shows: BP-071
#[tokio::test]
async fn a_flow_goes_the_way_that_each_node_says() {
    let table = [
        (Action::Default, vec!["a", "b"]),
        (Action::named("default"), vec!["a", "b"]),
        (Action::named("other"), vec!["a", "c"]),
        (Action::named("nowhere"), vec!["a"]),
        (Action::End, vec!["a"]),
    ];
    for (action, expected) in table {
        let mut flow = Flow::new();
        let a = flow.add("a", Probe::ending(action.clone())).unwrap();
        let b = flow.add("b", Probe::new()).unwrap();
        let c = flow.add("c", Probe::new()).unwrap();
        flow.next(a, b).unwrap();
        flow.on(a, "other", c).unwrap();
        let (report, events) = watch(&flow, &state(&[])).await;
        assert_eq!(visited(&events), expected, "{action:?}");
        report.outcome.unwrap();
        let warnings: Vec<&str> = events
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::Warning { message } => Some(message.as_str()),
                _ => None,
            })
            .collect();
        let odd = action == Action::named("nowhere");
        let words = "the flow ends here: nothing follows on `nowhere`, only on default, other";
        let expected = if odd { vec![words] } else { Vec::new() };
        assert_eq!(warnings, expected, "{action:?}");
    }
}

// shows in part: BP-071 (the part about `next`)
#[tokio::test]
async fn a_linear_flow_runs_to_its_last_node() {
    let mut flow = Flow::new();
    let nodes = ["a", "b", "c"].map(|id| flow.add(id, Probe::new()).unwrap());
    flow.next(nodes[0], nodes[1]).unwrap();
    flow.next(nodes[1], nodes[2]).unwrap();
    let (_, events) = watch(&flow, &state(&[])).await;
    assert_eq!(visited(&events), ["a", "b", "c"]);
}

// shows in part: BP-071 (the part about `on` twice)
#[test]
fn one_condition_leads_to_one_node() {
    let mut flow = Flow::new();
    let [a, b] = ["a", "b"].map(|id| flow.add(id, Probe::new()).unwrap());
    flow.next(a, b).unwrap();
    let error = flow.on(a, "default", a).unwrap_err();
    assert_eq!(error.code(), Code::FlowInvalid);
    assert!(error.to_string().contains("`a` goes on to `b` on `default` already"), "{error}");
}

#[test]
fn two_nodes_of_one_id_are_refused_and_so_is_a_bad_id() {
    let mut flow = Flow::new();
    flow.add("a", Probe::new()).unwrap();
    for (id, words) in [("a", "there already"), ("", "no id"), ("a.b", "no id"), ("a/b", "no id")] {
        let error = flow.add(id, Probe::new()).unwrap_err();
        assert!(error.to_string().contains(words), "{id}: {error}");
    }
    assert_eq!(flow.ids().collect::<Vec<_>>(), ["a"], "the first one stays");
}

#[tokio::test]
async fn a_run_starts_where_it_is_told_and_gives_the_last_action() {
    let mut flow = Flow::new();
    flow.add("a", Probe::new()).unwrap();
    let b = flow.add("b", Probe::ending(Action::named("done"))).unwrap();
    flow.start_at(b).unwrap();
    assert_eq!(finish(&flow, &state(&[])).await, Action::named("done"));
}

#[tokio::test]
async fn the_action_of_an_inner_flow_routes_the_outer_one() {
    let mut inner = Flow::new();
    inner.add("only", Probe::ending(Action::named("found"))).unwrap();
    let mut flow = Flow::new();
    let search = flow.add("search", inner).unwrap();
    let yes = flow.add("yes", Probe::new()).unwrap();
    let no = flow.add("no", Probe::new()).unwrap();
    flow.on(search, "found", yes).unwrap();
    flow.next(search, no).unwrap();
    let (_, events) = watch(&flow, &state(&[])).await;
    assert_eq!(visited(&events), ["search", "search/only", "yes"]);
}

#[tokio::test]
async fn the_end_of_an_inner_flow_is_not_the_end_of_the_outer_one() {
    let mut inner = Flow::new();
    inner.add("only", Probe::ending(Action::End)).unwrap();
    let mut flow = Flow::new();
    let first = flow.add("first", inner).unwrap();
    let second = flow.add("second", Probe::new()).unwrap();
    flow.next(first, second).unwrap();
    let (_, events) = watch(&flow, &state(&[])).await;
    assert_eq!(visited(&events), ["first", "first/only", "second"]);
}
