//! What nodes inherit is what a walk to the root would find.

use std::collections::HashMap;

use piton_core::NodeId;
use piton_workflow::{
    Autonomy, Capability, CapabilityStatus, Claim, EnforcementGrade, FailureCode, GapSeverity,
    Reason, UserOnlyDependency,
    event::{CapabilityObserved, NodeScope, Resolution, UseResult},
    projection::{CapabilityStanding, Gap, RunState},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::log::{DEFAULTS, Log};

/// What the test submitted to the run, node by node.
#[derive(Default)]
struct Told {
    autonomy: HashMap<NodeId, Autonomy>,
    context: HashMap<NodeId, Value>,
}

/// The first of `values` on the way from `node` to the root.
fn walk<'a, V>(run: &RunState, node: NodeId, values: &'a HashMap<NodeId, V>) -> Option<&'a V> {
    run.graph.ancestry(node).find_map(|node| values.get(&node.id))
}

/// The newest observation that counts, on the first node of the way that has one.
fn walk_observations(
    run: &RunState,
    node: NodeId,
    counts: impl Fn(&CapabilityObserved) -> bool,
) -> CapabilityStatus {
    let newest = |node: NodeId| {
        let observed = run.capabilities.at_node(node).iter().rev().map(|(_, observed)| observed);
        observed.filter(|observed| counts(observed)).map(CapabilityObserved::status).next()
    };
    let found = run.graph.ancestry(node).find_map(|node| newest(node.id));
    found.unwrap_or(CapabilityStatus::Unknown)
}

fn check(run: &RunState, told: &Told) {
    for node in run.graph.nodes().map(|node| node.id) {
        let autonomy = run.preferences.effective(node).map(|preferences| preferences.autonomy);
        assert_eq!(autonomy.as_ref(), walk(run, node, &told.autonomy));

        let context = run.contexts.effective(node);
        let context = context.map(|context| Value::Object(context.as_object().clone()));
        assert_eq!(context.as_ref(), walk(run, node, &told.context));

        let is_strong = |observed: &CapabilityObserved| {
            observed.provenance().grade() == EnforcementGrade::Strong
        };
        let expected = CapabilityStanding {
            enforced: walk_observations(run, node, is_strong),
            shown: walk_observations(run, node, |_| true),
        };
        assert_eq!(run.capabilities.capability(node, Capability::WebBrowsing), expected);

        let ids = |gaps: Vec<&Gap>| gaps.iter().map(|gap| gap.record.gap_id).collect::<Vec<_>>();
        let all = run.gaps.all().iter().filter(|gap| gap.is_open() && gap.node == node).collect();
        assert_eq!(ids(run.gaps.open_on(node).collect()), ids(all));
    }
    let open = run.gaps.all().iter().filter(|gap| gap.is_open());
    assert_eq!(run.gaps.open().len(), open.clone().count());
    assert_eq!(run.gaps.open_critical(), open.filter(|gap| gap.is_critical()).count());
}

/// Does one thing to a random node, old or new, with or without nodes below it.
fn act(log: &mut Log, told: &mut Told, what: u8, at: NodeScope, number: usize) {
    let autonomy = Autonomy::ALL[number % Autonomy::ALL.len()];
    match what {
        0 => {
            log.prefer(at, DEFAULTS, autonomy);
            told.autonomy.insert(at.node, autonomy);
        }
        1 => log.used(at, UseResult::Success),
        2 => log.used(at, UseResult::Failure(FailureCode::ToolMissing)),
        3 => log.claimed(at, Claim::Available),
        4 => {
            log.note(at, &format!("notes {number}"), None);
        }
        5 => {
            let severity = GapSeverity::ALL[number % GapSeverity::ALL.len()];
            let reason = Reason::UserOnlyDependency(UserOnlyDependency::Choice);
            let gaps = log.state.runs()[0].gaps.all();
            // Some resolve what is open, some what is not.
            let resolution = match gaps.get(number % 3) {
                Some(gap) if number.is_multiple_of(2) => {
                    Resolution::Resolves { resolves_gap_id: gap.record.gap_id }
                }
                _ => Resolution::Unresolved {},
            };
            log.gap(at, severity, reason, resolution);
        }
        _ => unreachable!("the strategy makes no other"),
    }
}

proptest! {
    // shows: WR-292, WR-298, WR-421
    #[test]
    fn every_node_has_what_a_walk_to_the_root_would_find(
        choices in prop::collection::vec((0..12_u8, any::<prop::sample::Index>()), 1..60),
    ) {
        let mut log = Log::new();
        let mut told = Told::default();
        let root = log.run();
        let mut steps = vec![root];
        let mut attempts = Vec::new();
        for (number, (what, place)) in choices.into_iter().enumerate() {
            let at = *place.get(&steps);
            match what {
                6..=9 => {
                    let (to, attempt) = log.advance(at);
                    steps.push(to);
                    attempts.push((to.node, attempt));
                }
                // What came with an attempt may be recorded after others went on from it.
                10 if !attempts.is_empty() => {
                    let (node, attempt) = attempts.swap_remove(place.index(attempts.len()));
                    let context = json!({ "number": number });
                    log.told(root.run, Some(attempt), context.clone());
                    told.context.insert(node, context);
                }
                10 | 11 => {
                    log.checkpoint(at);
                }
                what => act(&mut log, &mut told, what, at, number),
            }
        }
        check(&log.state.runs()[0], &told);
    }
}
