//! Receiving events without delaying the run that emits them.
//!
//! *Invariants*: events that do not fit are dropped and counted, and the count is delivered in their place. A
//! subscription that is dropped is forgotten.

use std::collections::{BTreeSet, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_util::Stream;
use piton_core::Pattern;

use super::run_event::{EventName, RunEvent};
use crate::NodeId;
use crate::flow::bounds::SUBSCRIPTION_EVENTS_MAX;

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
        let waker = queue.waker.take();
        // Wake outside of the lock, since the woken task takes it at once.
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
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

impl Drop for Listener {
    fn drop(&mut self) {
        let mut queue = lock(&self.queue);
        // Deliver the count of dropped events before the end of the stream.
        queue.queue_missed_count();
        queue.closed = true;
        let waker = queue.waker.take();
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
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
