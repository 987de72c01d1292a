//! Dedupe keys: the text of each recipe, and what it is made of.

use std::collections::HashSet;

use piton_core::canonical::encode;
use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_core::{
    AttemptId, CanonicalBytes, ChangeId, Clock as _, ContextId, DedupeKey, Digest, DivergenceId,
    EventId, GapId, NodeId, ObservationId, OutputId, RunId, SessionId, TimestampMs, TraceId,
};
use piton_workflow::{ChangeOrdinal, EdgeKind, EventKind, ObservationKey, dedupe};
use proptest::prelude::*;
use serde_json::json;

/// The ids of one event of every kind.
#[derive(Clone, Copy)]
struct Ids {
    session: SessionId,
    run: RunId,
    from: NodeId,
    to: NodeId,
    attempt: AttemptId,
    output: OutputId,
    change: ChangeId,
    observation: ObservationId,
    gap: GapId,
    divergence: DivergenceId,
    trace: TraceId,
    context: ContextId,
}

impl Ids {
    fn seeded(seed: u64) -> Self {
        let entropy = SeededEntropy::new(seed);
        Self {
            session: SessionId::mint(&entropy),
            run: RunId::mint(&entropy),
            from: NodeId::mint(&entropy),
            to: NodeId::mint(&entropy),
            attempt: AttemptId::mint(&entropy),
            output: OutputId::mint(&entropy),
            change: ChangeId::mint(&entropy),
            observation: ObservationId::mint(&entropy),
            gap: GapId::mint(&entropy),
            divergence: DivergenceId::mint(&entropy),
            trace: TraceId::mint(&entropy),
            context: ContextId::mint(&entropy),
        }
    }

    /// One key per kind of event, in the order of the kinds.
    fn keys(
        self,
        observed: (ObservationKey, &CanonicalBytes, ChangeOrdinal),
        edge: EdgeKind,
    ) -> Vec<DedupeKey> {
        let Self { session, run, from, to, .. } = self;
        let (key, value, change) = observed;
        EventKind::ALL
            .iter()
            .map(|kind| match kind {
                EventKind::SessionCreated => dedupe::session_created(session),
                EventKind::ObservationRecorded => {
                    dedupe::observation_recorded(session, key, value, change)
                }
                EventKind::RunStarted => dedupe::run_started(session, run),
                EventKind::NodeCreated => dedupe::node_created(session, run, from),
                EventKind::EdgeCreated => dedupe::edge_created(session, run, from, to, edge),
                EventKind::AdvanceRecorded => dedupe::advance_recorded(session, from, self.attempt),
                EventKind::NodeOutputAppended => dedupe::node_output_appended(session, self.output),
                EventKind::PreferencesChanged => dedupe::preferences_changed(session, self.change),
                EventKind::CapabilityObserved => {
                    dedupe::capability_observed(session, self.observation)
                }
                EventKind::GapRecorded => dedupe::gap_recorded(session, self.gap),
                EventKind::DivergenceRecorded => {
                    dedupe::divergence_recorded(session, self.divergence)
                }
                EventKind::DecisionTraceAppended => {
                    dedupe::decision_trace_appended(session, self.trace)
                }
                EventKind::ContextSet => dedupe::context_set(session, run, self.context),
            })
            .collect()
    }
}

/// The canonical JSON of an observed text.
fn observed(value: &str) -> CanonicalBytes {
    encode(&json!({"type": "short_string", "value": value})).expect("it is valid")
}

// shows: WR-028, WR-110, WR-116, WR-123, WR-131, WR-138, WR-151, WR-167
// shows in part: WR-159 (the key)
// shows: WR-185, WR-191, WR-202
// shows in part: WR-176 (the key)
#[test]
fn the_key_of_every_kind_of_event_is_fixed() {
    let value = observed("Feature Branch");
    let keys = Ids::seeded(7)
        .keys((ObservationKey::GitBranch, &value, ChangeOrdinal(2)), EdgeKind::AckedStep);
    let expected = [
        "session_created:sess_6q1ms5ks71sdhhrshwykbkrk04",
        "observation_recorded:sess_6q1ms5ks71sdhhrshwykbkrk04:git_branch:\
         sha256:1d76c26d9564a43946bc95176de52213dd67fa33ad18f7337a813bd8abae1bfc:2",
        "run_started:sess_6q1ms5ks71sdhhrshwykbkrk04:run_025arvn020k3kcpa9ycxrepemn",
        "node_created:sess_6q1ms5ks71sdhhrshwykbkrk04:run_025arvn020k3kcpa9ycxrepemn:\
         node_6t44f6mshvtdsh3anyse3bxphz",
        "edge_created:sess_6q1ms5ks71sdhhrshwykbkrk04:run_025arvn020k3kcpa9ycxrepemn:\
         node_6t44f6mshvtdsh3anyse3bxphz->node_7pt31378e4sdvzxfg27n8xdz2k:acked_step",
        "advance_recorded:sess_6q1ms5ks71sdhhrshwykbkrk04:node_6t44f6mshvtdsh3anyse3bxphz:\
         attempt_31cx89jyp0brh6jmvsh1va5gv9",
        "node_output_appended:sess_6q1ms5ks71sdhhrshwykbkrk04:out_7bzatgb6z7g8d2rryx52vmxeqn",
        "preferences_changed:sess_6q1ms5ks71sdhhrshwykbkrk04:change_2epd2mnqtm0fnk0s01mcj9j3yz",
        "capability_observed:sess_6q1ms5ks71sdhhrshwykbkrk04:obs_762nfgpbcv5zezh1fb39ns0q4c",
        "gap_recorded:sess_6q1ms5ks71sdhhrshwykbkrk04:gap_5ftv9pr02x5vgwe9kkv866n32k",
        "divergence_recorded:sess_6q1ms5ks71sdhhrshwykbkrk04:div_1nkte4r3ngftffgdnjbsxdnqy1",
        "decision_trace_appended:sess_6q1ms5ks71sdhhrshwykbkrk04:trace_1fqh5g1637p2pctcg35q352m0v",
        "context_set:sess_6q1ms5ks71sdhhrshwykbkrk04:run_025arvn020k3kcpa9ycxrepemn:\
         ctx_4x4wetj5v75ncfz45rc0e5pz3c",
    ];
    assert_eq!(keys.iter().map(DedupeKey::as_str).collect::<Vec<_>>(), expected);
}

// shows: WR-029, WR-030
#[test]
fn an_event_that_is_built_again_later_under_a_new_event_id_has_the_same_key() {
    // The signatures are part of the promise: there is no way to submit a clock or an event id.
    let _: fn(SessionId) -> DedupeKey = dedupe::session_created;
    let _: fn(SessionId, ObservationKey, &CanonicalBytes, ChangeOrdinal) -> DedupeKey =
        dedupe::observation_recorded;
    let _: fn(SessionId, RunId) -> DedupeKey = dedupe::run_started;
    let _: fn(SessionId, RunId, NodeId) -> DedupeKey = dedupe::node_created;
    let _: fn(SessionId, RunId, NodeId, NodeId, EdgeKind) -> DedupeKey = dedupe::edge_created;
    let _: fn(SessionId, NodeId, AttemptId) -> DedupeKey = dedupe::advance_recorded;
    let _: fn(SessionId, OutputId) -> DedupeKey = dedupe::node_output_appended;
    let _: fn(SessionId, ChangeId) -> DedupeKey = dedupe::preferences_changed;
    let _: fn(SessionId, ObservationId) -> DedupeKey = dedupe::capability_observed;
    let _: fn(SessionId, GapId) -> DedupeKey = dedupe::gap_recorded;
    let _: fn(SessionId, DivergenceId) -> DedupeKey = dedupe::divergence_recorded;
    let _: fn(SessionId, TraceId) -> DedupeKey = dedupe::decision_trace_appended;
    let _: fn(SessionId, RunId, ContextId) -> DedupeKey = dedupe::context_set;

    let built = |now_ms, event_seed| {
        let clock = ManualClock::new(TimestampMs(now_ms));
        let event = EventId::mint(&SeededEntropy::new(event_seed));
        let change = (ObservationKey::RepoRoot, &observed("x"), ChangeOrdinal(0));
        (clock.now_ms(), event, Ids::seeded(1).keys(change, EdgeKind::Checkpoint))
    };
    let (early, first, keys) = built(1_000, 1);
    let (late, second, again) = built(2_000, 2);
    assert!(early < late && first != second);
    assert_eq!(keys, again);
}

// shows: WR-016
#[test]
fn an_observed_value_enters_its_key_as_its_digest() {
    let session = Ids::seeded(7).session;
    let value = observed("Free text, with Spaces and UPPERCASE");
    let key = dedupe::observation_recorded(
        session,
        ObservationKey::GitBranch,
        &value,
        ChangeOrdinal::default(),
    );
    let digest = Digest::of(&value);
    assert_eq!(key.as_str(), format!("observation_recorded:{session}:git_branch:{digest}:0"));
}

// shows in part: WR-159 (a value that returns has a key of its own)
#[test]
fn a_value_that_returns_is_another_observation_and_a_retry_is_not() {
    let session = Ids::seeded(7).session;
    let key = |value, change| {
        let (observed, change) = (observed(value), ChangeOrdinal(change));
        dedupe::observation_recorded(session, ObservationKey::GitBranch, &observed, change)
    };
    assert_ne!(key("a", 0), key("a", 2));
    assert_eq!(key("a", 2), key("a", 2));
}

// shows: WR-138
#[test]
fn one_attempt_id_on_two_nodes_has_two_keys() {
    let Ids { session, from, to, attempt, .. } = Ids::seeded(7);
    assert_ne!(
        dedupe::advance_recorded(session, from, attempt),
        dedupe::advance_recorded(session, to, attempt)
    );
}

proptest! {
    // shows: WR-026, WR-027
    #[test]
    fn every_recipe_stays_within_the_alphabet_and_the_length(
        seed in any::<u64>(),
        value in ".{0,600}",
        observed_key in prop::sample::select(ObservationKey::ALL),
        change in prop_oneof![Just(u64::MAX), any::<u64>()],
        edge in prop::sample::select(EdgeKind::ALL),
    ) {
        let observed = (observed_key, &observed(&value), ChangeOrdinal(change));
        let keys = Ids::seeded(seed).keys(observed, edge);
        for (kind, key) in EventKind::ALL.iter().zip(&keys) {
            let text = key.as_str();
            let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit()
                || b"_:>-".contains(&byte);
            prop_assert!(text.bytes().all(allowed), "{}", text);
            prop_assert!(text.len() <= 256, "{}", text);
            let prefix = format!("{kind}:");
            prop_assert!(text.starts_with(&prefix), "{}", text);
        }
        prop_assert_eq!(keys.iter().collect::<HashSet<_>>().len(), EventKind::ALL.len());
    }
}
