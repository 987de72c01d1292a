//! Values that are handed on along edges.

use piton_backpack::flow::{Action, EventKind, Flow, Mappings, NodeSettings};
use piton_backpack::{AccessControl, Key, NodeIdentity, PackOptions, Permissions};
use serde_json::json;

use crate::flow::probe::Probe;
use crate::flow::site::{finish, run, state, value, watch};

fn mapping(pairs: &[(&str, &str)]) -> Mappings {
    let key = |text: &str| Key::parse(text).unwrap();
    pairs.iter().map(|(source, target)| (key(source), key(target))).collect()
}

#[tokio::test]
async fn a_mapping_applies_to_the_edge_that_is_taken_and_to_no_other() {
    let mut flow = Flow::new();
    let a = flow.add("a", Probe::packing("found", json!("a"))).unwrap();
    let b = flow.add("b", Probe::new()).unwrap();
    flow.on_with(a, "default", b, mapping(&[("found", "query")])).unwrap();
    flow.on_with(a, "other", b, mapping(&[("found", "wrong")])).unwrap();
    let state = state(&[]);
    finish(&flow, &state).await;
    assert_eq!(value(&state, "query"), json!("a"));
    assert!(value(&state, "wrong").is_null());
    let item = state.backpack().debug().item("query").unwrap().unwrap();
    assert_eq!(item.source().id.as_str(), "a", "the copy is by the node that hands it on");
}

#[tokio::test]
async fn a_loop_passes_a_mapped_edge_any_number_of_times() {
    let mut flow = Flow::new();
    let count = flow.add("count", Probe::counting("count")).unwrap();
    let check = Probe::new()
        .prep(|context| {
            Box::pin(async move { Ok(json!(context.unpack_required::<u64>("seen").await?)) })
        })
        .exec(|prepared, _| Box::pin(std::future::ready(Ok(prepared.clone()))))
        .post(|_, seen| {
            let action = if seen == 5 { "enough" } else { "again" };
            Box::pin(std::future::ready(Ok(Action::named(action))))
        });
    let check = flow.add("check", check).unwrap();
    flow.on_with(count, "default", check, mapping(&[("count", "seen")])).unwrap();
    flow.on(check, "again", count).unwrap();
    let state = state(&[]);
    finish(&flow, &state).await;
    assert_eq!((value(&state, "count"), value(&state, "seen")), (json!(5), json!(5)));
}

#[tokio::test]
async fn a_mapping_never_replaces_what_another_node_packed() {
    let mut flow = Flow::new();
    let a = flow.add("a", Probe::packing("found", json!(1))).unwrap();
    let b = flow.add("b", Probe::new()).unwrap();
    flow.on_with(a, "default", b, mapping(&[("found", "query")])).unwrap();
    let taken = state(&[("query", json!(2))]);
    let error = run(&flow, &taken).await.outcome.unwrap_err();
    assert_eq!(
        error.to_string(),
        "node `a` failed in mapping: `found` cannot be handed on as `query`, which holds another value, packed by `system`"
    );
    assert_eq!(value(&taken, "query"), json!(2));
    finish(&flow, &state(&[("query", json!(1))])).await;
}

#[tokio::test]
async fn a_mapping_of_nothing_is_a_warning() {
    let mut flow = Flow::new();
    let a = flow.add("a", Probe::new()).unwrap();
    let b = flow.add("b", Probe::new()).unwrap();
    flow.on_with(a, "default", b, mapping(&[("missing", "query")])).unwrap();
    let (report, events) = watch(&flow, &state(&[])).await;
    report.outcome.unwrap();
    let warned = events.iter().any(|event| {
        matches!(&event.kind, EventKind::Warning { message }
            if message == "there is nothing under `missing` to hand on as `query`")
    });
    assert!(warned);
}

#[tokio::test]
async fn a_mapping_hands_on_only_what_the_node_may_read() {
    let permissions = Permissions::none().writing(["query"]).unwrap();
    let settings = NodeSettings { permissions: Some(permissions), ..NodeSettings::default() };
    let mut flow = Flow::new();
    let a = flow.add_with("a", Probe::new(), settings).unwrap();
    let b = flow.add("b", Probe::new()).unwrap();
    flow.on_with(a, "default", b, mapping(&[("secret", "query")])).unwrap();
    let state = state(&[("secret", json!("canary"))]);
    let error = run(&flow, &state).await.outcome.unwrap_err();
    assert_eq!(error.to_string(), "node `a` failed in mapping: the node `a` may not read `secret`");
    assert!(value(&state, "query").is_null());
}

#[tokio::test]
async fn what_is_said_about_an_item_goes_with_its_copy() {
    let state = state(&[]);
    let system = state.backpack().scope(NodeIdentity::system(), None).unwrap();
    let only = AccessControl {
        read: Some([piton_backpack::NodeId::parse("a").unwrap()].into()),
        write: None,
    };
    let options = PackOptions::new().tagged(["pii"]).unwrap().limited(only);
    let _ = system.pack_with("email", &"a@b.c", &options).unwrap();
    let mut flow = Flow::new();
    let a = flow.add("a", Probe::new()).unwrap();
    let b = flow.add("b", Probe::new()).unwrap();
    flow.on_with(a, "default", b, mapping(&[("email", "copy")])).unwrap();
    finish(&flow, &state).await;
    let debug = state.backpack().debug();
    let [email, copy] = ["email", "copy"].map(|key| debug.item(key).unwrap().unwrap());
    assert_eq!(email.labels(), copy.labels());
    assert!(copy.labels().is_pii());
}
