//! Whatever can be built can be written and read.

use piton_core::port::fixed::SeededEntropy;
use piton_core::{
    BoundedText, DivergenceId, EventId, EventIndex, GapId, NodeId, RunId, SessionId, TimestampMs,
    canonical,
};
use piton_workflow::event::{
    AdvanceOutcome, AdvanceRecorded, Blocker, BlockerReport, DivergenceRecorded, GapRecorded,
    LimitDetails, NodeScope, NonEmptySummary, ObservedValue, OutputPayload, Resolution,
};
use piton_workflow::{
    AttemptIntent, BlockerCode, DivergenceReason, EventBody, GapSeverity, Iteration, Reason,
    SessionEvent, UserOnlyDependency,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::sample::{ATTEMPT, context, context_set, observed, output, pointers};

fn text(max_chars: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..max_chars).prop_map(|chars| chars.into_iter().collect())
}

fn scope(seed: u64) -> NodeScope {
    let entropy = SeededEntropy::new(seed);
    NodeScope { run: RunId::mint(&entropy), node: NodeId::mint(&entropy) }
}

fn blocker() -> impl Strategy<Value = Blocker> {
    (
        prop::sample::select(BlockerCode::ALL),
        prop::sample::select(pointers()),
        text(128),
        prop::option::of(text(256)),
        prop::option::of((0_u32..1_000_000, any::<u32>())),
    )
        .prop_map(|(code, pointer, message, fix, limit)| Blocker {
            code,
            pointer,
            message: BoundedText::new(message).unwrap(),
            suggested_fix: fix.map(|fix| BoundedText::new(fix).unwrap()),
            details: limit.map(|(iteration, max_iterations)| LimitDetails::LoopLimit {
                loop_id: "loop".parse().unwrap(),
                iteration: Iteration::new(iteration).unwrap(),
                max_iterations,
            }),
        })
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-(1_i64 << 53) + 1..1_i64 << 53).prop_map(Value::from),
        any::<f64>().prop_filter_map("canonical", |number| {
            let value = json!(number);
            canonical::encode(&value).is_ok().then_some(value)
        }),
        text(20).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(text(8), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn body() -> impl Strategy<Value = EventBody> {
    let at = any::<u64>().prop_map(scope);
    prop_oneof![
        (at.clone(), prop::collection::vec(blocker(), 1..=10)).prop_map(|(at, blockers)| {
            let outcome =
                AdvanceOutcome::Blocked { blockers: BlockerReport::new(blockers).unwrap() };
            let intent = AttemptIntent::AckPending;
            EventBody::AdvanceRecorded(at, AdvanceRecorded { attempt_id: ATTEMPT, intent, outcome })
        }),
        (at.clone(), text(5000))
            .prop_map(|(at, notes)| { output(at, 1, None, OutputPayload::notes(&notes)) }),
        (text(128), any::<u64>()).prop_map(|(path, change)| {
            let path = ObservedValue::Path(BoundedText::new(path).unwrap());
            observed(piton_workflow::ObservationKey::RepoRoot, change, path)
        }),
        (at.clone(), text(128), prop::sample::select(UserOnlyDependency::ALL)).prop_map(
            |(at, summary, needed)| {
                EventBody::GapRecorded(
                    at,
                    GapRecorded {
                        gap_id: GapId::from_bytes([1; 16]),
                        severity: GapSeverity::Warning,
                        reason: Reason::UserOnlyDependency(needed),
                        summary: BoundedText::new(summary).unwrap(),
                        resolution: Resolution::Unresolved {},
                        evidence_refs: None,
                        details: None,
                    },
                )
            }
        ),
        (at, text(127), prop::sample::select(DivergenceReason::ALL)).prop_map(
            |(at, summary, reason)| {
                EventBody::DivergenceRecorded(
                    at,
                    DivergenceRecorded {
                        divergence_id: DivergenceId::from_bytes([1; 16]),
                        reason,
                        summary: NonEmptySummary::new(summary + ".").unwrap(),
                        related_step_id: None,
                    },
                )
            }
        ),
        json_value()
            .prop_map(|value| json!({ "a": value }))
            .prop_filter("a context", |value| context(value).is_ok())
            .prop_map(|value| context_set(&value)),
    ]
}

proptest! {
    #[test]
    fn an_event_that_was_built_reads_back_as_itself(
        body in body(),
        seed in any::<u64>(),
        index in 0_u64..1 << 53,
        time in 0_u64..1 << 53,
    ) {
        let entropy = SeededEntropy::new(seed);
        let event = SessionEvent::new(
            SessionId::mint(&entropy),
            EventIndex::new(index).unwrap(),
            EventId::mint(&entropy),
            TimestampMs(time),
            body,
        );
        let line = canonical::encode(&event).unwrap();
        let read: SessionEvent = serde_json::from_str(line.as_str()).unwrap();
        prop_assert_eq!(&read, &event);
        prop_assert_eq!(canonical::encode(&read).unwrap(), line);
    }
}
