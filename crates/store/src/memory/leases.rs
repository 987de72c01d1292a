//! Leases in memory.
//!
//! A waiter leaves a waker. Releasing a lease wakes the waiters that can take it now, in the order in which they came:
//! the next exclusive one, or every shared one before it.
//!
//! Invariants: a waiter that is dropped or has run out of patience keeps nobody out. No caller overtakes a waiter that
//! it would keep out.
//!
//! Limitations: there is no timer. A waiter looks at the clock when it is polled, so the end of its patience is noticed
//! when something wakes it, and not before.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use piton_core::port::Clock;

use crate::{
    Error, LeaseName,
    port::{BoxFuture, Hold, Lease, Leases, Mode, Patience},
};

/// Leases in memory. Clones share them, as processes would.
#[derive(Clone)]
pub struct MemoryLeases {
    clock: Arc<dyn Clock>,
    state: Arc<Mutex<LeasesState>>,
}

#[derive(Default)]
struct LeasesState {
    slots: BTreeMap<LeaseName, LeaseSlot>,
    /// Number of the newest waiter. Numbers grow, so their order is the order of arrival.
    next: u64,
}

/// The holders of one lease, and its waiters.
#[derive(Default)]
struct LeaseSlot {
    exclusive: bool,
    shared: usize,
    waiters: BTreeMap<u64, Waiter>,
}

struct Waiter {
    mode: Mode,
    deadline: Duration,
    waker: Waker,
}

impl MemoryLeases {
    /// Creates leases that nobody holds; waits are measured by `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, state: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, LeasesState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the holders or waiters of a lease, and wakes the waiters that may take it now.
    fn release(&self, name: &LeaseName, change: impl FnOnce(&mut LeaseSlot)) {
        let mut state = self.state();
        let Some(slot) = state.slots.get_mut(name) else { return };
        change(slot);
        let wakers = slot.next(self.clock.monotonic());
        // Nothing is remembered of a lease that nobody holds, so that names do not add up.
        if slot.shared == 0 && !slot.exclusive && slot.waiters.is_empty() {
            state.slots.remove(name);
        }
        // Wakers run foreign code, which may ask for a lease at once. So the state is unlocked first.
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl LeaseSlot {
    /// True if a lease can be taken now. `own` is the number of the asking waiter; without one it stands behind all
    /// others.
    fn admits(&self, mode: Mode, now: Duration, own: Option<u64>) -> bool {
        let mut ahead = self
            .waiters
            .range(..own.unwrap_or(u64::MAX))
            .map(|(_, waiter)| waiter)
            .filter(|waiter| now < waiter.deadline);
        // A shared request waits for exclusive waiters ahead of it too: otherwise a stream of them would starve those.
        match mode {
            Mode::Exclusive => !self.exclusive && self.shared == 0 && ahead.next().is_none(),
            Mode::Shared => !self.exclusive && ahead.all(|waiter| waiter.mode == Mode::Shared),
        }
    }

    /// Returns the wakers of the waiters that can proceed.
    fn next(&self, now: Duration) -> Vec<Waker> {
        let mut wakers = Vec::new();
        let mut is_shared = self.shared > 0;
        for waiter in self.waiters.values().take_while(|_| !self.exclusive) {
            // A waiter that ran out of patience keeps nobody out, and may as well find out.
            let is_alive = now < waiter.deadline;
            if is_alive && waiter.mode == Mode::Exclusive {
                if !is_shared {
                    wakers.push(waiter.waker.clone());
                }
                break;
            }
            is_shared |= is_alive;
            wakers.push(waiter.waker.clone());
        }
        wakers
    }
}

/// An attempt to take a lease.
struct Acquire<'a> {
    leases: &'a MemoryLeases,
    name: &'a LeaseName,
    mode: Mode,
    patience: Duration,
    /// Time of the first poll.
    started: Option<Duration>,
    /// Number among the waiters, once it waits.
    number: Option<u64>,
}

impl Future for Acquire<'_> {
    type Output = Result<Lease, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let (leases, name, mode) = (self.leases, self.name, self.mode);
        let now = leases.clock.monotonic();
        let started = *self.started.get_or_insert(now);
        let waited = now.saturating_sub(started);
        let mut state = leases.state();
        let LeasesState { slots, next } = &mut *state;
        let slot = slots.entry(name.clone()).or_default();
        // Tried before patience is checked, so that an attempt without patience still gets one try.
        if slot.admits(mode, now, self.number) {
            match mode {
                Mode::Exclusive => slot.exclusive = true,
                Mode::Shared => slot.shared += 1,
            }
            if let Some(number) = self.number.take() {
                slot.waiters.remove(&number);
            }
            drop(state);
            let hold = MemoryLease { leases: leases.clone(), name: name.clone(), mode };
            return Poll::Ready(Ok(Lease::new(name.clone(), mode, Box::new(hold))));
        }
        if waited >= self.patience {
            drop(state);
            return Poll::Ready(Err(Error::Busy {
                what: format!("the lease {name}"),
                waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
            }));
        }
        // The number stays the same over all polls, and with it the place in the line.
        let number = *self.number.get_or_insert_with(|| {
            *next += 1;
            *next
        });
        let deadline = started.saturating_add(self.patience);
        slot.waiters.insert(number, Waiter { mode, deadline, waker: context.waker().clone() });
        Poll::Pending
    }
}

impl Drop for Acquire<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            // Waiters that this one kept out may be able to proceed.
            self.leases.release(self.name, |slot| {
                slot.waiters.remove(&number);
            });
        }
    }
}

/// A held lease.
struct MemoryLease {
    leases: MemoryLeases,
    name: LeaseName,
    mode: Mode,
}

impl Hold for MemoryLease {}

impl Drop for MemoryLease {
    fn drop(&mut self) {
        self.leases.release(&self.name, |slot| match self.mode {
            Mode::Exclusive => slot.exclusive = false,
            Mode::Shared => slot.shared -= 1,
        });
    }
}

impl Leases for MemoryLeases {
    fn acquire<'a>(
        &'a self,
        name: &'a LeaseName,
        mode: Mode,
        patience: Patience,
    ) -> BoxFuture<'a, Result<Lease, Error>> {
        let patience = patience.duration();
        Box::pin(Acquire { leases: self, name, mode, patience, started: None, number: None })
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        task::Wake,
    };

    use piton_core::port::{TimestampMs, fixed::ManualClock};

    use super::*;

    #[derive(Default)]
    struct Counted(AtomicUsize);

    impl Wake for Counted {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    struct Bench {
        clock: Arc<ManualClock>,
        leases: MemoryLeases,
        name: LeaseName,
        wakes: Arc<Counted>,
    }

    type Attempt<'a> = BoxFuture<'a, Result<Lease, Error>>;

    impl Bench {
        fn new() -> Self {
            let clock = Arc::new(ManualClock::new(TimestampMs(0)));
            Self {
                leases: MemoryLeases::new(clock.clone()),
                clock,
                name: "bench".parse().unwrap(),
                wakes: Arc::default(),
            }
        }

        fn attempt(&self, mode: Mode, patience_ms: u64) -> Attempt<'_> {
            let patience = Patience::Wait(Duration::from_millis(patience_ms));
            self.leases.acquire(&self.name, mode, patience)
        }

        fn poll(&self, attempt: &mut Attempt<'_>) -> Poll<Result<Lease, Error>> {
            let waker = Waker::from(self.wakes.clone());
            attempt.as_mut().poll(&mut Context::from_waker(&waker))
        }

        #[track_caller]
        fn take(&self, mode: Mode) -> Lease {
            match self.poll(&mut self.attempt(mode, 0)) {
                Poll::Ready(Ok(lease)) => lease,
                other => panic!("{other:?}"),
            }
        }

        fn wakes(&self) -> usize {
            self.wakes.0.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn patience_ends_at_the_first_look_after_the_deadline() {
        let bench = Bench::new();
        let _held = bench.take(Mode::Exclusive);
        let mut waiting = bench.attempt(Mode::Shared, 100);
        assert!(bench.poll(&mut waiting).is_pending());
        bench.clock.advance(Duration::from_millis(99));
        assert!(bench.poll(&mut waiting).is_pending());
        bench.clock.advance(Duration::from_millis(1));
        let Poll::Ready(Err(error)) = bench.poll(&mut waiting) else {
            panic!("it still waits");
        };
        assert_eq!(error.to_string(), "the lease bench is in use elsewhere; waited 100 ms for it");
    }

    #[test]
    fn those_who_wait_are_served_in_the_order_in_which_they_came() {
        let bench = Bench::new();
        let held = bench.take(Mode::Exclusive);
        let mut first = bench.attempt(Mode::Exclusive, 100);
        let mut second = bench.attempt(Mode::Shared, 100);
        let mut third = bench.attempt(Mode::Exclusive, 100);
        for attempt in [&mut first, &mut second, &mut third] {
            assert!(bench.poll(attempt).is_pending());
        }
        drop(held);
        assert_eq!(bench.wakes(), 1, "the first one alone can go on");
        assert!(bench.poll(&mut third).is_pending(), "who asks early does not overtake");
        assert!(bench.poll(&mut second).is_pending());
        let Poll::Ready(Ok(held)) = bench.poll(&mut first) else { panic!("its turn has come") };
        drop(held);
        assert_eq!(bench.wakes(), 2);
        let Poll::Ready(Ok(held)) = bench.poll(&mut second) else { panic!("its turn has come") };
        drop(held);
        assert!(bench.poll(&mut third).is_ready());
    }

    #[test]
    fn a_release_wakes_everybody_who_can_share() {
        let bench = Bench::new();
        let held = bench.take(Mode::Exclusive);
        let mut first = bench.attempt(Mode::Shared, 100);
        let mut second = bench.attempt(Mode::Shared, 100);
        assert!(bench.poll(&mut first).is_pending());
        assert!(bench.poll(&mut second).is_pending());
        assert_eq!(bench.wakes(), 0);
        drop(held);
        assert_eq!(bench.wakes(), 2);
        assert!(bench.poll(&mut first).is_ready());
        assert!(bench.poll(&mut second).is_ready());
    }

    #[test]
    fn a_waiter_that_is_dropped_keeps_nobody_out() {
        let bench = Bench::new();
        let _held = bench.take(Mode::Shared);
        let mut exclusive = bench.attempt(Mode::Exclusive, 100);
        assert!(bench.poll(&mut exclusive).is_pending());
        let mut shared = bench.attempt(Mode::Shared, 100);
        assert!(bench.poll(&mut shared).is_pending());
        let before = bench.wakes();
        drop(exclusive);
        assert_eq!(bench.wakes(), before + 1, "the shared waiter is woken");
        assert!(bench.poll(&mut shared).is_ready());
    }

    #[test]
    fn a_waiter_that_ran_out_of_patience_keeps_nobody_out() {
        let bench = Bench::new();
        let _held = bench.take(Mode::Shared);
        let mut exclusive = bench.attempt(Mode::Exclusive, 100);
        assert!(bench.poll(&mut exclusive).is_pending());
        bench.clock.advance(Duration::from_millis(100));
        let _second = bench.take(Mode::Shared);
    }

    #[test]
    fn nothing_is_remembered_of_a_lease_that_nobody_holds() {
        let bench = Bench::new();
        drop(bench.take(Mode::Shared));
        drop(bench.take(Mode::Exclusive));
        let held = bench.take(Mode::Exclusive);
        assert!(bench.poll(&mut bench.attempt(Mode::Shared, 0)).is_ready());
        drop(held);
        assert!(bench.leases.state().slots.is_empty());
    }
}
