//! The promise of every journal about plans.

use std::{future::poll_fn, task::Poll, time::Duration};

use piton_core::{DedupeKey, EventIndex, SnapshotRef, port::fixed::SeededEntropy};

use super::{TwoProcesses, append, index, stream, texts};
use crate::{
    AppendPlan, Error, PlanProblem,
    bounds::PLAN_EVENTS_MAX,
    port::{Appended, BlobNamespace, BoxFuture, Journal, Patience},
    testing::{Sample, sample_plan, sample_snapshot},
};

/// Longer than any healthy wait of the suite.
const LONG: Patience = Patience::Wait(Duration::from_secs(30));

pub(super) async fn a_stream_begins_at_zero_and_keeps_its_order<J: Journal<Sample>>(
    store: TwoProcesses<J>,
) {
    let name = stream("order");
    let lease = store.here.lease(&name).await.unwrap();
    assert_eq!(lease.next_event(), EventIndex::ZERO);
    let done = append(&store.here, &lease, 3, "a").await.unwrap();
    assert_eq!(done, Appended::Committed { first: index(0), last: index(2) });
    let done = append(&store.here, &lease, 1, "b").await.unwrap();
    assert_eq!(done, Appended::Committed { first: index(3), last: index(3) });
    assert_eq!(lease.next_event(), index(4));
    let first_epoch = lease.epoch();
    drop(lease);
    for journal in [&store.here, &store.there] {
        let expected = ["a-0", "a-1", "a-2", "b-0"].map(|fact| format!("what happened: {fact}"));
        assert_eq!(texts(journal, &name).await, expected);
    }
    let again = store.there.lease(&name).await.unwrap();
    assert!(again.epoch() > first_epoch, "an epoch only grows");
    assert_eq!(again.next_event(), index(4));
}

pub(super) async fn a_repeated_plan_changes_nothing<J: Journal<Sample>>(store: TwoProcesses<J>) {
    let name = stream("replay");
    let lease = store.here.lease(&name).await.unwrap();
    append(&store.here, &lease, 2, "a").await.unwrap();
    append(&store.here, &lease, 2, "b").await.unwrap();
    let before = texts(&store.here, &name).await;
    // The indices of a retried plan may be stale or fresh; its facts decide.
    for first in [0, 4] {
        let plan = sample_plan(&name, first, 2, "a");
        let done = store.here.append(&lease.writer(), plan).await.unwrap();
        assert_eq!(done, Appended::AlreadyPresent { indices: vec![index(0), index(1)] });
    }
    drop(lease);
    let lease = store.there.lease(&name).await.unwrap();
    let done = store.there.append(&lease.writer(), sample_plan(&name, 4, 2, "b")).await.unwrap();
    assert_eq!(done, Appended::AlreadyPresent { indices: vec![index(2), index(3)] });
    assert_eq!(texts(&store.here, &name).await, before);
    assert_eq!(lease.next_event(), index(4));
}

/// Events that do not make a valid plan, and a check for the problem.
type RefusedPlan = (Vec<Sample>, fn(&PlanProblem) -> bool);

pub(super) async fn a_plan_that_breaks_a_rule_changes_nothing<J: Journal<Sample>>(
    store: TwoProcesses<J>,
) {
    let name = stream("rules");
    let lease = store.here.lease(&name).await.unwrap();
    append(&store.here, &lease, 2, "a").await.unwrap();
    let entropy = SeededEntropy::new(1);
    let event = |at: u64, fact: &str| Sample::new(&name, at, fact, &entropy);
    let elsewhere = Sample::new(&stream("elsewhere"), 2, "x", &entropy);
    let twin = event(2, "twin");
    let other_key = DedupeKey::new("sample", &[&"other"]).unwrap();
    let same_id = Sample { event_index: index(3), dedupe_key: other_key, ..twin.clone() };
    let crowd = |count: usize| (0..count as u64).map(|n| event(2 + n, &format!("c{n}"))).collect();
    let refused: [RefusedPlan; 8] = [
        (vec![], |problem| matches!(problem, PlanProblem::Empty)),
        (vec![event(3, "late")], |problem| matches!(problem, PlanProblem::IndexOutOfOrder { .. })),
        (vec![event(1, "early")], |problem| matches!(problem, PlanProblem::IndexOutOfOrder { .. })),
        (vec![event(2, "x"), event(4, "y")], |problem| {
            matches!(problem, PlanProblem::IndexOutOfOrder { .. })
        }),
        (vec![elsewhere], |problem| matches!(problem, PlanProblem::ForeignEvent { .. })),
        (vec![event(2, "x"), event(3, "x")], |problem| {
            matches!(problem, PlanProblem::Repeated { .. })
        }),
        (vec![twin, same_id], |problem| matches!(problem, PlanProblem::Repeated { .. })),
        (crowd(PLAN_EVENTS_MAX + 1), |problem| matches!(problem, PlanProblem::TooLarge { .. })),
    ];
    for (number, (events, expected)) in refused.into_iter().enumerate() {
        let error = store.here.append(&lease.writer(), AppendPlan::new(events)).await.unwrap_err();
        let Error::PlanRefused { problem, .. } = error else { panic!("case {number}: {error}") };
        assert!(expected(&problem), "case {number}: {problem}");
    }
    let mixed = vec![event(2, "a-0"), event(3, "new")];
    let error = store.here.append(&lease.writer(), AppendPlan::new(mixed)).await.unwrap_err();
    let Error::PlanRefused { problem, .. } = error else { panic!("{error}") };
    assert_eq!(problem, PlanProblem::PartlyPresent { present: 1, events: 2 });
    assert_eq!(texts(&store.there, &name).await.len(), 2);
    // A refusal does not end the lease.
    append(&store.here, &lease, 1, "after").await.unwrap();
    let full: Vec<Sample> =
        (0..PLAN_EVENTS_MAX as u64).map(|n| event(3 + n, &format!("f{n}"))).collect();
    store.here.append(&lease.writer(), AppendPlan::new(full)).await.unwrap();
}

pub(super) async fn a_second_writer_is_refused_at_once<J: Journal<Sample>>(store: TwoProcesses<J>) {
    let name = stream("fight");
    let lease = store.here.lease(&name).await.unwrap();
    for journal in [&store.here, &store.there] {
        let error = journal.lease(&name).await.unwrap_err();
        assert!(matches!(error, Error::Locked { .. }), "{error}");
    }
    // Another stream is free, and readers are not kept out.
    append(&store.here, &lease, 1, "a").await.unwrap();
    drop(store.there.lease(&stream("other")).await.unwrap());
    assert_eq!(texts(&store.there, &name).await.len(), 1);
    drop(lease);
    drop(store.there.lease(&name).await.unwrap());
    drop(store.here.lease(&name).await.unwrap());
}

pub(super) async fn a_writer_with_patience_waits_for_its_turn<J: Journal<Sample>>(
    store: TwoProcesses<J>,
) {
    let name = stream("patience");
    // Nobody has to wait for a stream that is free, whether it exists or not.
    let lease = store.here.lease_with(&name, LONG).await.unwrap();
    append(&store.here, &lease, 1, "a").await.unwrap();
    for journal in [&store.here, &store.there] {
        let short = Patience::Wait(Duration::from_millis(20));
        let mut waiting = journal.lease_with(&name, short);
        // Polls again and again, because an adapter without a timer notices the time only then.
        let refused = poll_fn(|context| {
            context.waker().wake_by_ref();
            waiting.as_mut().poll(context)
        });
        match refused.await {
            Err(Error::Busy { waited_ms, .. }) => assert!(waited_ms >= 20, "{waited_ms}"),
            other => panic!("it should have given up: {other:?}"),
        }
    }
    // One that waits and is dropped keeps nobody out.
    assert!(is_pending(&mut store.here.lease_with(&name, LONG)).await);
    // Those that wait find what was written before their turn, whichever of the two comes first.
    let mut one = store.here.lease_with(&name, LONG);
    let mut other = store.there.lease_with(&name, LONG);
    assert!(is_pending(&mut one).await && is_pending(&mut other).await);
    append(&store.here, &lease, 1, "b").await.unwrap();
    drop(lease);
    let (lease, writer, next) = poll_fn(|context| {
        if let Poll::Ready(lease) = one.as_mut().poll(context) {
            return Poll::Ready((lease, &store.here, 1));
        }
        other.as_mut().poll(context).map(|lease| (lease, &store.there, 0))
    })
    .await;
    let lease = lease.unwrap();
    assert_eq!(lease.next_event(), index(2));
    append(writer, &lease, 1, "c").await.unwrap();
    drop(lease);
    let lease = [one, other].into_iter().nth(next).expect("there are two").await.unwrap();
    assert_eq!(lease.next_event(), index(3));
    assert!(matches!(store.here.lease(&name).await, Err(Error::Locked { .. })));
}

/// Polls a future once.
async fn is_pending<T>(future: &mut BoxFuture<'_, T>) -> bool {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_pending())).await
}

pub(super) async fn plans_are_written_in_the_order_of_the_calls<J: Journal<Sample>>(
    store: TwoProcesses<J>,
) {
    let name = stream("queue");
    let lease = store.here.lease(&name).await.unwrap();
    let waiting: Vec<_> = (0..20)
        .map(|number| {
            let plan = sample_plan(&name, number * 2, 2, &format!("p{number}"));
            store.here.append(&lease.writer(), plan)
        })
        .collect();
    for (number, append) in waiting.into_iter().enumerate().rev() {
        let first = index(number as u64 * 2);
        assert_eq!(append.await.unwrap(), Appended::Committed { first, last: first.next() });
    }
    assert_eq!(texts(&store.there, &name).await.len(), 40);
}

pub(super) async fn an_append_ends_without_its_caller<J: Journal<Sample>>(store: TwoProcesses<J>) {
    let name = stream("cancelled");
    let lease = store.here.lease(&name).await.unwrap();
    drop(store.here.append(&lease.writer(), sample_plan(&name, 0, 3, "a")));
    drop(lease);
    // The lock becomes free only when the write has ended.
    let lease = loop {
        match store.there.lease(&name).await {
            Ok(lease) => break lease,
            Err(Error::Locked { .. }) => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    };
    let replay = store.there.append(&lease.writer(), sample_plan(&name, 0, 3, "a")).await.unwrap();
    let indices = (0..3).map(index).collect();
    assert_eq!(replay, Appended::AlreadyPresent { indices });
}

pub(super) async fn blobs_are_there_when_their_plan_is<J: Journal<Sample>>(store: TwoProcesses<J>) {
    let name = stream("blobs");
    let lease = store.here.lease(&name).await.unwrap();
    append(&store.here, &lease, 2, "a").await.unwrap();
    let snapshot = sample_snapshot("blobs-a");
    let stored = store.blobs.get(BlobNamespace::Snapshots, snapshot.digest()).await.unwrap();
    assert_eq!(stored.as_deref(), Some(snapshot.bytes()));
    let entropy = SeededEntropy::new(9);
    let pinning = |at: u64, fact: &str, snapshot: &str| Sample {
        snapshot_ref: Some(SnapshotRef::new(sample_snapshot(snapshot).digest())),
        ..Sample::new(&name, at, fact, &entropy)
    };
    // A stored snapshot may be pinned again without being sent; one that is not stored may not.
    let plan = AppendPlan::new(vec![pinning(2, "again", "blobs-a")]);
    store.here.append(&lease.writer(), plan).await.unwrap();
    let plan = AppendPlan::new(vec![pinning(3, "lost", "never-stored")]);
    let error = store.here.append(&lease.writer(), plan).await.unwrap_err();
    assert!(matches!(error, Error::BlobMissing { .. }), "{error}");
    assert_eq!(texts(&store.there, &name).await.len(), 3);
}

pub(super) async fn a_lease_of_another_journal_is_refused<J: Journal<Sample>>(
    one: TwoProcesses<J>,
    two: TwoProcesses<J>,
) {
    let name = stream("foreign");
    let lease = one.here.lease(&name).await.unwrap();
    let plan = sample_plan(&name, 0, 1, "a");
    let error = two.here.append(&lease.writer(), plan).await.unwrap_err();
    assert!(matches!(error, Error::ForeignLease { .. }), "{error}");
    assert!(matches!(two.here.load(&name).await.unwrap_err(), Error::NotFound { .. }));
    append(&two.here, &two.here.lease(&name).await.unwrap(), 1, "a").await.unwrap();
    let error = two.here.delete(lease).await.unwrap_err();
    assert!(matches!(error, Error::ForeignLease { .. }), "{error}");
    assert_eq!(texts(&two.there, &name).await.len(), 1);
}
