//! A flow of one node that loops until its work is done, with everything that it takes to run it.

use std::sync::Arc;

use piton_backpack::flow::{
    Action, BoxFuture, Flow, FlowState, Node, NodeContext, NodeError, RunOptions, Runner,
    RunnerPorts, Tools,
};
use piton_core::port::fixed::SeededEntropy;
use piton_models::Scripted;
use piton_store::local::{SystemClock, SystemTimer};
use serde_json::Value;

/// Result of a visit.
pub(super) type Visited<'a> = BoxFuture<'a, std::result::Result<Action, NodeError>>;

/// A node whose visits only call this function.
struct Visit<F>(F);

impl<F: Fn(&NodeContext) -> Visited<'_> + Send + Sync> Node for Visit<F> {
    fn type_name(&self) -> &'static str {
        "turn"
    }

    fn post<'a>(&'a self, context: &'a NodeContext, _: &'a Value, _: Value) -> Visited<'a> {
        (self.0)(context)
    }
}

/// A loop that is ready to run.
pub(super) struct Round {
    flow: Flow,
    runner: Runner,
    visits: u64,
}

impl Round {
    /// Creates a loop of at most this number of visits.
    pub(super) fn new(
        visits: u64,
        visit: impl Fn(&NodeContext) -> Visited<'_> + Send + Sync + 'static,
    ) -> Self {
        let mut flow = Flow::new();
        let turn = flow.add("turn", Visit(visit)).expect("a good id");
        flow.next(turn, turn).expect("its first edge");
        let ports = RunnerPorts {
            clock: Arc::new(SystemClock),
            timer: Arc::new(SystemTimer),
            entropy: Arc::new(SeededEntropy::new(2)),
        };
        let runner = Runner::new(Arc::new(Scripted::default()), Tools::new(), ports);
        Self { flow, runner, visits }
    }

    /// Runs the loop, and returns the number of visits.
    pub(super) async fn run(&self, state: &FlowState) -> u64 {
        let options = RunOptions { steps_max: self.visits, ..RunOptions::default() };
        self.runner.run(&self.flow, state, options).await.steps
    }
}

/// Returns the action after a visit, given the number of visits that are left.
pub(super) fn next_action(left: u64) -> Action {
    if left == 0 { Action::End } else { Action::Default }
}
