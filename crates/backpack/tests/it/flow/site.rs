//! A runner and a state, and what tests ask of them.

use std::sync::Arc;

use piton_backpack::flow::{
    Action, EventFilter, EventName, Flow, FlowState, RunEvent, RunOptions, RunReport, Runner,
    RunnerPorts, SubscriberEvent, Subscription, Tools,
};
use piton_backpack::{Backpack, BackpackPorts, Options};
use piton_core::TimestampMs;
use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_models::{ModelClient, Scripted};
use serde_json::Value;

pub(crate) fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(TimestampMs(1_000)))
}

pub(crate) fn ports() -> BackpackPorts {
    BackpackPorts { clock: clock(), entropy: Arc::new(SeededEntropy::new(7)) }
}

pub(crate) fn backpack(initial: &[(&str, Value)]) -> Backpack {
    let items = initial.iter().map(|(key, value)| (*key, value.clone()));
    Backpack::new(items, Options::default(), ports()).unwrap()
}

pub(crate) fn state(initial: &[(&str, Value)]) -> FlowState {
    FlowState::new(backpack(initial)).unwrap()
}

pub(crate) fn runner_with(
    models: Arc<dyn ModelClient>,
    tools: Tools,
    clock: Arc<ManualClock>,
) -> Runner {
    let timer = Arc::clone(&clock);
    let entropy = Arc::new(SeededEntropy::new(11));
    Runner::new(models, tools, RunnerPorts { clock, timer, entropy })
}

pub(crate) fn runner() -> Runner {
    runner_with(Arc::new(Scripted::default()), Tools::new(), clock())
}

pub(crate) async fn run(flow: &Flow, state: &FlowState) -> RunReport {
    runner().run(flow, state, RunOptions::default()).await
}

/// Runs a flow that has to come to its end.
pub(crate) async fn finish(flow: &Flow, state: &FlowState) -> Action {
    run(flow, state).await.outcome.unwrap()
}

pub(crate) fn value(state: &FlowState, key: &str) -> Value {
    state.backpack().debug().peek(key).unwrap().unwrap_or_default()
}

/// What was heard, without counts of what was missed.
pub(crate) fn heard(subscription: &mut Subscription) -> Vec<Arc<RunEvent>> {
    let heard = subscription.drain().into_iter();
    heard
        .map(|heard| match heard {
            SubscriberEvent::Event(event) => event,
            SubscriberEvent::Missed(count) => panic!("{count} events were missed"),
        })
        .collect()
}

/// Runs a flow, and returns its report with all events.
pub(crate) async fn watch(flow: &Flow, state: &FlowState) -> (RunReport, Vec<Arc<RunEvent>>) {
    let runner = runner();
    let mut subscription = runner.subscribe(EventFilter::default());
    let report = runner.run(flow, state, RunOptions::default()).await;
    (report, heard(&mut subscription))
}

/// The ids of the nodes that began, in order.
pub(crate) fn visited(events: &[Arc<RunEvent>]) -> Vec<String> {
    let begun = events.iter().filter(|event| event.kind.name() == EventName::NodeStart);
    begun.map(|event| event.node.as_ref().unwrap().id.to_string()).collect()
}
