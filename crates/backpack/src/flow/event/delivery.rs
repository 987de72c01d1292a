//! Delivering events: the single place in a run that emits them, and the subscriptions that receive them without
//! delaying the run.
//!
//! *Invariants*: events that do not fit are dropped and counted, and the count is delivered in their place. A
//! subscription that is dropped is forgotten.

use std::collections::{BTreeSet, VecDeque};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_util::Stream;
use piton_core::{Clock, Pattern, RunId};

use super::run_event::{EventKind, EventName, RunEvent, Touched, cut};
use crate::flow::bounds::SUBSCRIPTION_EVENTS_MAX;
use crate::{Action as Done, Committed, Event as Observed, NodeId, NodeIdentity};

/// The listeners to the runs of one runner.
#[derive(Default)]
pub(crate) struct Audience {
    listeners: Mutex<Vec<Listener>>,
    any: AtomicBool,
}

impl Audience {
    fn lock(&self) -> MutexGuard<'_, Vec<Listener>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn join(&self, listener: Listener) {
        let mut listeners = self.lock();
        // Subscriptions that were dropped leave here and in `tell`; there is no other clean-up.
        listeners.retain(Listener::is_heard);
        listeners.push(listener);
        self.any.store(true, Ordering::Release);
    }

    /// Sends an event to everybody who listens. It is made under the lock, so that events arrive in the order of their
    /// ids.
    fn tell(&self, make: impl FnOnce() -> RunEvent) {
        let mut listeners = self.lock();
        listeners.retain(Listener::is_heard);
        // The flag is kept under the lock, so that a concurrent `join` cannot be overwritten.
        self.any.store(!listeners.is_empty(), Ordering::Release);
        let event = Arc::new(make());
        for listener in listeners.iter() {
            listener.send(&event);
        }
    }
}

/// Emits the events of one run.
pub(crate) struct Emitter {
    run: RunId,
    clock: Arc<dyn Clock>,
    audience: Arc<Audience>,
    told: AtomicU64,
}

impl Emitter {
    pub(crate) fn new(run: RunId, clock: Arc<dyn Clock>, audience: Arc<Audience>) -> Self {
        Self { run, clock, audience, told: AtomicU64::new(0) }
    }

    /// True if anyone listens, so that building an event is worth the cost.
    pub(crate) fn is_heard(&self) -> bool {
        self.audience.any.load(Ordering::Acquire)
    }

    pub(crate) fn tell(&self, node: Option<&NodeIdentity>, kind: EventKind) {
        // Checked without a lock: a run without listeners pays one atomic load per event.
        if !self.is_heard() {
            return;
        }
        let node = node.cloned();
        self.audience.tell(|| {
            let id = self.told.fetch_add(1, Ordering::Relaxed) + 1;
            RunEvent { id, timestamp: self.clock.now_ms(), run: self.run, node, kind }
        });
    }

    /// Forwards events of the backpack. Notes that the runner keeps there for itself are left out.
    pub(crate) fn observe(&self, event: &Observed) {
        let Observed::Committed(committed) = event else { return };
        if !self.is_heard() || committed.by.id.as_str() == crate::flow::run::RUNNER {
            return;
        }
        if let Some(kind) = commit_event(committed) {
            self.tell(Some(&committed.by), kind);
        }
    }
}

/// Converts a commit of a node to an event. Only the runner puts keys back, so a restore gives none.
fn commit_event(committed: &Committed) -> Option<EventKind> {
    let touched = Touched {
        key: committed.key.to_string(),
        commit: committed.commit.to_string(),
        version: committed.version,
        summary: committed.summary.clone(),
    };
    Some(match committed.action {
        Done::Pack => EventKind::BackpackPack(touched),
        Done::Unpack => EventKind::BackpackUnpack(touched),
        Done::Delete => EventKind::BackpackDelete(touched),
        Done::Quarantine => EventKind::BackpackQuarantine(touched),
        Done::Deny => EventKind::BackpackDenied(touched),
        Done::Restore => return None,
    })
}

/// Emits events on behalf of one node.
#[derive(Clone)]
pub(crate) struct Tap {
    pub(crate) emitter: Arc<Emitter>,
    pub(crate) identity: Arc<NodeIdentity>,
}

impl Tap {
    pub(crate) fn is_heard(&self) -> bool {
        self.emitter.is_heard()
    }

    pub(crate) fn tell(&self, kind: EventKind) {
        self.emitter.tell(Some(&self.identity), kind);
    }

    pub(crate) fn warn(&self, message: &str) {
        if self.is_heard() {
            self.tell(EventKind::Warning { message: cut(message) });
        }
    }
}

/// A notification to a subscriber.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubscriberEvent {
    Event(Arc<RunEvent>),
    /// Number of events that were dropped because there was no room for them.
    Missed(u64),
}

#[derive(Default)]
struct EventQueue {
    heard: VecDeque<SubscriberEvent>,
    missed: u64,
    closed: bool,
    waker: Option<Waker>,
}

/// The sending end.
pub(crate) struct Listener {
    filter: EventFilter,
    room: usize,
    queue: Arc<Mutex<EventQueue>>,
}

/// The events of runs as they happen: a stream that ends once nothing can emit events any more.
pub struct Subscription {
    queue: Arc<Mutex<EventQueue>>,
}

fn lock(queue: &Mutex<EventQueue>) -> MutexGuard<'_, EventQueue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates both ends. At most `room` events wait in between.
pub(crate) fn pair(filter: EventFilter, room: usize) -> (Listener, Subscription) {
    let queue = Arc::new(Mutex::new(EventQueue::default()));
    // At least one event must fit, or nothing would ever be delivered.
    let room = room.clamp(1, SUBSCRIPTION_EVENTS_MAX);
    (Listener { filter, room, queue: Arc::clone(&queue) }, Subscription { queue })
}

impl Listener {
    /// Delivers an event if the filter selects it and there is room.
    pub(crate) fn send(&self, event: &Arc<RunEvent>) {
        if !self.filter.selects(event) {
            return;
        }
        let mut queue = lock(&self.queue);
        // Never wait for a slow subscriber: the run must not depend on who watches it.
        if queue.heard.len() >= self.room {
            queue.missed += 1;
            return;
        }
        queue.queue_missed_count();
        queue.heard.push_back(SubscriberEvent::Event(Arc::clone(event)));
        wake(queue);
    }

    /// True if the subscription still exists.
    pub(crate) fn is_heard(&self) -> bool {
        // One reference is held here, the other by the subscription.
        Arc::strong_count(&self.queue) > 1
    }
}

impl EventQueue {
    /// Appends the number of dropped events, so that it is delivered before any later event.
    fn queue_missed_count(&mut self) {
        if self.missed > 0 {
            let missed = std::mem::take(&mut self.missed);
            self.heard.push_back(SubscriberEvent::Missed(missed));
        }
    }
}

/// Wakes the subscriber, outside of the lock, since the woken task takes it at once.
fn wake(mut queue: MutexGuard<'_, EventQueue>) {
    let waker = queue.waker.take();
    drop(queue);
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut queue = lock(&self.queue);
        // Deliver the count of dropped events before the end of the stream.
        queue.queue_missed_count();
        queue.closed = true;
        wake(queue);
    }
}

impl Subscription {
    /// Returns all waiting notifications without blocking.
    pub fn drain(&mut self) -> Vec<SubscriberEvent> {
        let mut queue = lock(&self.queue);
        queue.queue_missed_count();
        queue.heard.drain(..).collect()
    }
}

impl Stream for Subscription {
    type Item = SubscriberEvent;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<SubscriberEvent>> {
        let mut queue = lock(&self.queue);
        if let Some(heard) = queue.heard.pop_front() {
            return Poll::Ready(Some(heard));
        }
        // Everything queued was delivered, so what was dropped after it comes next.
        queue.queue_missed_count();
        if let Some(heard) = queue.heard.pop_front() {
            return Poll::Ready(Some(heard));
        }
        if queue.closed {
            return Poll::Ready(None);
        }
        // Set under the same lock as the checks above, so that no event slips in unnoticed.
        queue.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

/// Selects events. An absent field selects all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Only events of this node.
    pub node: Option<NodeId>,
    /// Only events of nodes in the namespaces that this selects.
    pub namespace: Option<Pattern>,
    /// Only events of these kinds.
    pub kinds: Option<BTreeSet<EventName>>,
}

impl EventFilter {
    /// True if the filter selects an event. A filter by node or namespace never selects events without a node.
    pub fn selects(&self, event: &RunEvent) -> bool {
        let of_node = |id: &NodeId| event.node.as_ref().is_some_and(|identity| identity.id == *id);
        let within = |pattern: &Pattern| {
            event.namespace().is_some_and(|namespace| pattern.matches(namespace))
        };
        self.node.as_ref().is_none_or(of_node)
            && self.namespace.as_ref().is_none_or(within)
            && self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&event.kind.name()))
    }
}
