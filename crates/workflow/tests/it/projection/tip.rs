//! Which node a run stands at.
#![expect(clippy::unwrap_used, reason = "a helper of tests stops at the first surprise")]

use piton_core::NodeId;
use piton_workflow::{
    GapSeverity, Reason, Unexpected, UserOnlyDependency,
    event::{Resolution, UseResult},
    projection::SessionState,
};
use proptest::prelude::*;

use super::log::{DEFAULTS, Log};
use crate::proof::naive::Naive;

fn preferred(log: &Log) -> NodeId {
    let run = log.state.runs().last().unwrap();
    let tip = run.graph.preferred_tip().unwrap().id;
    assert_eq!(tip, Naive::of(&log.events).tip().id, "by the words of the rules");
    assert_eq!(run.graph.last_activity(), run.graph.activity(tip));
    assert_eq!(run.graph.tip_count(), run.graph.tips().count());
    tip
}

// shows: WR-130, WR-434, WR-436
#[test]
fn a_fork_has_two_tips_and_the_active_one_is_preferred() {
    let mut log = Log::new();
    let root = log.run();
    let first = log.step(root);
    let second = log.step(root);
    let graph = &log.state.runs()[0].graph;
    let tips: Vec<NodeId> = graph.tips().map(|tip| tip.id).collect();
    assert_eq!(tips, [first.node, second.node]);
    assert_eq!(preferred(&log), second.node);
    log.note(first, "back to the first", None);
    assert_eq!(preferred(&log), first.node);
    let third = log.step(second);
    assert_eq!(preferred(&log), third.node);
    let graph = &log.state.runs()[0].graph;
    assert!(graph.descends(third.node, root.node) && !graph.descends(third.node, first.node));
}

// shows: WR-436
#[test]
fn a_checkpoint_is_no_tip_and_leaves_its_node_one() {
    let mut log = Log::new();
    let root = log.run();
    let tip = log.step(root);
    let bookmark = log.checkpoint(tip);
    log.note(bookmark, "so far", None);
    assert_eq!(preferred(&log), tip.node);
    let run = &log.state.runs()[0];
    assert!(run.graph.node(tip.node).unwrap().is_tip());
    assert!(!run.graph.node(bookmark.node).unwrap().is_tip());
}

// shows: WR-437
#[test]
fn every_kind_of_event_on_a_node_makes_its_branch_active() {
    type Touch = fn(&mut Log, piton_workflow::event::NodeScope);
    let touches: [Touch; 6] = [
        |log, at| {
            log.note(at, "x", None);
        },
        |log, at| {
            let reason = Reason::UserOnlyDependency(UserOnlyDependency::Choice);
            log.gap(at, GapSeverity::Info, reason, Resolution::Unresolved {});
        },
        |log, at| log.used(at, UseResult::Success),
        |log, at| log.prefer(at, DEFAULTS, piton_workflow::Autonomy::FullAutoNeverStop),
        Log::diverge,
        |log, at| {
            log.checkpoint(at);
        },
    ];
    for touch in touches {
        let mut log = Log::new();
        let root = log.run();
        let quiet = log.step(root);
        let busy = log.step(root);
        assert_eq!(preferred(&log), busy.node);
        touch(&mut log, quiet);
        assert_eq!(preferred(&log), quiet.node);
    }
}

// shows: WR-438
#[test]
fn branches_that_are_equally_active_are_told_apart_by_creation() {
    let mut log = Log::new();
    let root = log.run();
    let first = log.step(root);
    let second = log.step(root);
    log.note(first, "x", None);
    log.note(root, "touches both", None);
    let graph = &log.state.runs()[0].graph;
    assert_eq!(graph.activity(first.node), graph.activity(second.node));
    assert_eq!(preferred(&log), second.node);
}

// shows: WR-435
#[test]
fn each_run_has_a_tip_of_its_own() {
    let mut log = Log::new();
    let one = log.run();
    let two = log.run();
    let ahead = log.step(one);
    let tips: Vec<NodeId> =
        log.state.runs().iter().map(|run| run.graph.preferred_tip().unwrap().id).collect();
    assert_eq!(tips, [ahead.node, two.node]);
}

proptest! {
    // shows: WR-054, WR-057, WR-431, WR-436, WR-438
    #[test]
    fn the_preferred_tip_is_the_one_by_the_book(
        choices in prop::collection::vec((0..8_u8, any::<prop::sample::Index>()), 1..80),
    ) {
        let mut log = Log::new();
        let root = log.run();
        let mut steps = vec![root];
        let mut bookmarks = Vec::new();
        for (what, place) in choices {
            let at = *place.get(&steps);
            match what {
                0..=3 => steps.push(log.step(at)),
                4 => bookmarks.push(log.checkpoint(at)),
                5 => {
                    let reason = Reason::Unexpected(Unexpected::InvariantViolation);
                    log.gap(at, GapSeverity::Critical, reason, Resolution::Unresolved {});
                }
                6 if !bookmarks.is_empty() => {
                    log.note(*place.get(&bookmarks), "on a bookmark", None);
                }
                _ => {
                    log.note(at, "x", None);
                }
            }
            preferred(&log);
        }
        // Folding the whole log again gives the same.
        let again = SessionState::of(&log.events);
        let tip = |state: &SessionState| state.runs()[0].graph.preferred_tip().map(|tip| tip.id);
        prop_assert_eq!(tip(&again), tip(&log.state));
        prop_assert_eq!(again.next(), log.state.next());
    }
}
