//! The promise of [`Leases`].
//!
//! Limitations: it takes a second process to show that a lease is released when its holder dies.

use std::future::poll_fn;
use std::time::Duration;

use crate::port::{BoxFuture, Lease, Leases, Mode, Patience};
use crate::{Error, LeaseName};

/// Maximum number of shared leases taken while an exclusive one is about to wait. A healthy adapter gives out a
/// handful.
const TRIES_MAX: u32 = 1_000_000;

/// Longer than any healthy wait of the suite.
const LONG: Patience = Patience::Wait(Duration::from_secs(30));

/// Checks every sentence of the promise. `make` returns leases that nobody holds, whose clones stand for other
/// processes. Their clock must run.
pub async fn suite<L: Leases + Clone + 'static>(make: impl Fn() -> L) {
    a_lease_says_what_it_is(&make()).await;
    an_exclusive_lease_has_one_holder_and_shared_ones_have_many(&make()).await;
    leases_of_different_names_do_not_meet(&make()).await;
    a_lease_is_freed_when_it_is_dropped(&make()).await;
    patience_ends(&make()).await;
    who_waits_gets_the_lease_when_it_is_freed(make()).await;
    a_waiting_exclusive_lease_is_not_starved_by_shared_ones(make()).await;
}

fn name() -> LeaseName {
    "contract".parse().expect("a name")
}

async fn try_now(leases: &impl Leases, mode: Mode) -> Option<Lease> {
    match leases.acquire(&name(), mode, Patience::FailFast).await {
        Ok(lease) => Some(lease),
        Err(Error::Busy { .. }) => None,
        Err(other) => panic!("neither taken nor held: {other}"),
    }
}

async fn take(leases: &impl Leases, mode: Mode) -> Lease {
    try_now(leases, mode).await.expect("nobody holds it")
}

async fn a_lease_says_what_it_is(leases: &impl Leases) {
    for mode in [Mode::Exclusive, Mode::Shared] {
        let lease = take(leases, mode).await;
        assert_eq!((lease.name(), lease.mode()), (&name(), mode));
    }
}

async fn an_exclusive_lease_has_one_holder_and_shared_ones_have_many(
    leases: &(impl Leases + Clone),
) {
    let other = leases.clone();
    for (held, wanted, expected) in [
        (Mode::Exclusive, Mode::Exclusive, false),
        (Mode::Exclusive, Mode::Shared, false),
        (Mode::Shared, Mode::Exclusive, false),
        (Mode::Shared, Mode::Shared, true),
    ] {
        let first = take(leases, held).await;
        for again in [leases, &other] {
            let second = try_now(again, wanted).await;
            assert_eq!(second.is_some(), expected, "{wanted:?} beside {held:?}");
        }
        drop(first);
    }
    let shared = [take(leases, Mode::Shared).await, take(&other, Mode::Shared).await];
    for lease in shared {
        assert!(try_now(leases, Mode::Exclusive).await.is_none(), "one is still held");
        drop(lease);
    }
    take(leases, Mode::Exclusive).await;
}

async fn leases_of_different_names_do_not_meet(leases: &impl Leases) {
    let _held = take(leases, Mode::Exclusive).await;
    let second: LeaseName = "contract-2".parse().expect("a name");
    leases
        .acquire(&second, Mode::Exclusive, Patience::FailFast)
        .await
        .expect("nobody holds this one");
}

async fn a_lease_is_freed_when_it_is_dropped(leases: &(impl Leases + Clone)) {
    let other = leases.clone();
    for mode in [Mode::Exclusive, Mode::Shared] {
        for _ in 0..3 {
            drop(take(leases, mode).await);
            drop(take(&other, Mode::Exclusive).await);
        }
    }
}

/// Polls again and again, because an adapter without a timer notices the time only then.
pub(in crate::testing::contract) async fn keep_polling<T>(mut waiting: BoxFuture<'_, T>) -> T {
    poll_fn(|context| {
        context.waker().wake_by_ref();
        waiting.as_mut().poll(context)
    })
    .await
}

async fn patience_ends(leases: &impl Leases) {
    let _held = take(leases, Mode::Exclusive).await;
    let name = name();
    for (patience_ms, mode) in [(0, Mode::Exclusive), (30, Mode::Exclusive), (30, Mode::Shared)] {
        let patience = Patience::Wait(Duration::from_millis(patience_ms));
        match keep_polling(leases.acquire(&name, mode, patience)).await {
            Err(Error::Busy { waited_ms, .. }) => assert!(waited_ms >= patience_ms),
            other => panic!("it should have given up: {other:?}"),
        }
    }
}

/// Waits for an exclusive lease in a task of its own.
fn wait_for_it<L: Leases + 'static>(leases: L) -> tokio::task::JoinHandle<Result<Lease, Error>> {
    tokio::spawn(async move { leases.acquire(&name(), Mode::Exclusive, LONG).await })
}

async fn who_waits_gets_the_lease_when_it_is_freed<L: Leases + Clone + 'static>(leases: L) {
    let held = take(&leases, Mode::Shared).await;
    // The task that gets the lease first drops it at once, which lets the other one through.
    let waiters = [(); 2].map(|()| {
        let waiting = wait_for_it(leases.clone());
        tokio::spawn(async { waiting.await.expect("the task ends well").map(drop) })
    });
    tokio::task::yield_now().await;
    drop(held);
    for waiter in waiters {
        waiter.await.expect("the task ends well").expect("the lease was freed in time");
    }
}

async fn a_waiting_exclusive_lease_is_not_starved_by_shared_ones<L: Leases + Clone + 'static>(
    leases: L,
) {
    let mut held = take(&leases, Mode::Shared).await;
    let waiter = wait_for_it(leases.clone());
    // There is always a shared holder: the next one is taken before the last one is dropped.
    let mut taken = 0;
    while let Some(next) = try_now(&leases, Mode::Shared).await {
        held = next;
        taken += 1;
        assert!(taken < TRIES_MAX && !waiter.is_finished(), "shared holders starved it");
        tokio::task::yield_now().await;
    }
    assert!(!waiter.is_finished(), "a shared one is still held");
    drop(held);
    let exclusive = waiter.await.expect("the task ends well").expect("its turn has come");
    assert!(try_now(&leases, Mode::Shared).await.is_none());
    drop(exclusive);
    take(&leases, Mode::Shared).await;
}
