//! Nodes that fail.

use piton_backpack::Key;
use piton_backpack::flow::{Error, EventKind, Flow, NodeError, Phase, RunRecord, RunStatus};
use piton_core::Code;
use serde_json::json;

use crate::flow::probe::Probe;
use crate::flow::site::{state, value, watch};

fn panicking(phase: Phase) -> Probe {
    match phase {
        Phase::Prep => Probe::new().prep(|_| Box::pin(async { panic!("in prep") })),
        Phase::Exec => Probe::new().exec(|_, _| panic!("before the future")),
        _ => Probe::new().post(|context, _| {
            Box::pin(async move {
                context.pack("half", &1).await?;
                let missing: Option<u8> = context.unpack("missing").await?;
                let there = missing.expect("something");
                Ok(piton_backpack::flow::Action::named(format!("{there}")))
            })
        }),
    }
}

// shows: BP-081
#[tokio::test]
async fn a_panic_ends_the_run_with_the_node_named_and_the_backpack_intact() {
    for (phase, words) in
        [(Phase::Prep, "in prep"), (Phase::Exec, "before the future"), (Phase::Post, "something")]
    {
        let mut flow = Flow::new();
        let first = flow.add("first", Probe::packing("kept", json!("yes"))).unwrap();
        let bad = flow.add("bad", panicking(phase)).unwrap();
        let never = flow.add("never", Probe::packing("never", json!(1))).unwrap();
        flow.next(first, bad).unwrap();
        flow.next(bad, never).unwrap();
        let state = state(&[]);
        let (report, events) = watch(&flow, &state).await;
        assert_eq!(report.status(), RunStatus::Failed);
        let error = report.outcome.unwrap_err();
        let Error::Panicked { node, phase: where_, message } = &error else { panic!("{error:?}") };
        assert_eq!((node.as_str(), *where_, message.as_str()), ("bad", phase, words));
        assert_eq!(error.envelope().code, Code::FlowNodeFailed);
        assert_eq!(value(&state, "kept"), json!("yes"));
        assert!(value(&state, "never").is_null());
        let record = RunRecord::of(state.backpack()).unwrap().unwrap();
        assert_eq!((record.status, record.steps), (RunStatus::Failed, 2));
        let told = events.iter().any(|event| {
            matches!(&event.kind, EventKind::Error { phase: told, .. } if *told == phase)
                && event.node.as_ref().is_some_and(|node| node.id.as_str() == "bad")
        });
        assert!(told, "{phase}");
        let scope = state.backpack().scope(piton_backpack::NodeIdentity::system(), None).unwrap();
        assert!(scope.pack("more", &1).unwrap().done().is_some(), "and others go on with it");
    }
}

// shows in part: BP-081 (the part about errors)
#[tokio::test]
async fn a_failure_names_its_phase_whatever_its_words_are() {
    let words = "client.post() failed at post.rs:1";
    let table = [
        (
            Phase::Prep,
            Probe::new().prep(move |_| Box::pin(std::future::ready(Err(NodeError::new(words))))),
        ),
        (
            Phase::Exec,
            Probe::new().exec(move |_, _| Box::pin(std::future::ready(Err(NodeError::new(words))))),
        ),
        (
            Phase::Post,
            Probe::new().post(move |_, _| Box::pin(std::future::ready(Err(NodeError::new(words))))),
        ),
    ];
    for (phase, node) in table {
        let mut flow = Flow::new();
        flow.add("bad", node).unwrap();
        let (report, events) = watch(&flow, &state(&[])).await;
        let error = report.outcome.unwrap_err();
        let Error::Node { phase: found, .. } = &error else { panic!("{error:?}") };
        assert_eq!(*found, phase);
        assert_eq!(error.node(), Some("bad"));
        let told: Vec<Phase> = events
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::Error { phase, .. } => Some(*phase),
                _ => None,
            })
            .collect();
        assert_eq!(told, [phase]);
    }
}

#[tokio::test]
async fn a_required_value_that_is_missing_is_named() {
    let reading = Probe::new().prep(|context| {
        Box::pin(async move { Ok(json!(context.unpack_required::<u64>("wanted").await?)) })
    });
    let mut flow = Flow::new();
    flow.add("reader", reading).unwrap();
    let (report, _) = watch(&flow, &state(&[])).await;
    let error = report.outcome.unwrap_err();
    assert_eq!(error.to_string(), "node `reader` failed in prep: there is nothing under `wanted`");
    let told = error.envelope();
    assert_eq!(told.message, "Node `reader` failed in prep: there is nothing under `wanted`.");
    assert!(told.suggestion.contains("--set wanted=VALUE"), "{}", told.suggestion);
}

#[test]
fn keys_that_are_missing_are_words_of_a_command() {
    let advice = |missing: &[&str]| {
        let missing = missing.iter().map(|key| Key::parse(key).unwrap()).collect();
        let (node, phase) = ("fetch".to_owned(), Phase::Inputs);
        Error::Contract { node, phase, violations: Vec::new(), missing, wrong: Vec::new() }
            .envelope()
            .suggestion
    };
    let rest = "Or let an earlier node pack it.";
    let check = |missing: &[&str], command: &str| {
        let expected = format!("Run the flow again with what is missing: {command}. {rest}");
        assert_eq!(advice(missing), expected);
    };
    check(&["a"], "`piton flow run FILE --set a=VALUE`");
    check(&["$(a) b"], "`piton flow run FILE --set '$(a) b=VALUE'`");
    // A backtick would end what is marked as a command.
    check(&["a`b", "c"], "`piton flow run FILE --set c=VALUE`, and 1 more that the message names");
    let keys: Vec<String> = (0..9).map(|number| number.to_string().repeat(200)).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let told = advice(&keys);
    assert!(told.ends_with(&format!("`, and 5 more that the message names. {rest}")), "{told}");
}

#[tokio::test]
async fn a_missing_key_that_is_called_as_a_placeholder_keeps_its_name() {
    for key in ["NODE", "NODE_ENV"] {
        let reading = Probe::new().prep(move |context| {
            Box::pin(async move { Ok(json!(context.unpack_required::<u64>(key).await?)) })
        });
        let mut flow = Flow::new();
        flow.add("reader", reading).unwrap();
        let (report, _) = watch(&flow, &state(&[])).await;
        let told = report.outcome.unwrap_err().envelope().suggestion;
        assert!(told.contains(&format!(" --set {key}=VALUE`")), "{told}");
    }
}
