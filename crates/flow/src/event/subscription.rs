//! Hearing events without holding up whoever tells them.
//!
//! *Invariants*: what does not fit is dropped and counted, and the count is heard in its place. A subscription that
//! is dropped is forgotten.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_util::Stream;

use super::filter::EventFilter;
use super::run_event::RunEvent;
use crate::bounds::SUBSCRIPTION_EVENTS_MAX;

/// What a subscriber hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubscriberEvent {
    /// An event.
    Event(Arc<RunEvent>),
    /// This many events were told while there was no room for them.
    Missed(u64),
}

#[derive(Default)]
struct EventQueue {
    heard: VecDeque<SubscriberEvent>,
    missed: u64,
    closed: bool,
    waker: Option<Waker>,
}

/// The telling end.
pub(crate) struct Listener {
    filter: EventFilter,
    room: usize,
    queue: Arc<Mutex<EventQueue>>,
}

/// The events of runs, as they happen; a stream that ends when nobody is left who could tell any.
pub struct Subscription {
    queue: Arc<Mutex<EventQueue>>,
}

fn lock(queue: &Mutex<EventQueue>) -> MutexGuard<'_, EventQueue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The two ends; at most `room` events wait in between.
pub(crate) fn pair(filter: EventFilter, room: usize) -> (Listener, Subscription) {
    let queue = Arc::new(Mutex::new(EventQueue::default()));
    let room = room.clamp(1, SUBSCRIPTION_EVENTS_MAX);
    (Listener { filter, room, queue: Arc::clone(&queue) }, Subscription { queue })
}

impl Listener {
    /// Tells an event, if it is wanted and somebody is there.
    pub(crate) fn send(&self, event: &Arc<RunEvent>) {
        if !self.filter.selects(event) {
            return;
        }
        let mut queue = lock(&self.queue);
        if queue.heard.len() >= self.room {
            queue.missed += 1;
            return;
        }
        queue.drop_oldest();
        queue.heard.push_back(SubscriberEvent::Event(Arc::clone(event)));
        let waker = queue.waker.take();
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Whether anybody still listens.
    pub(crate) fn is_heard(&self) -> bool {
        Arc::strong_count(&self.queue) > 1
    }
}

impl EventQueue {
    /// Says what was missed before anything else is said.
    fn drop_oldest(&mut self) {
        if self.missed > 0 {
            let missed = std::mem::take(&mut self.missed);
            self.heard.push_back(SubscriberEvent::Missed(missed));
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut queue = lock(&self.queue);
        queue.drop_oldest();
        queue.closed = true;
        let waker = queue.waker.take();
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Subscription {
    /// What was told so far and not heard yet, without waiting.
    pub fn drain(&mut self) -> Vec<SubscriberEvent> {
        let mut queue = lock(&self.queue);
        queue.drop_oldest();
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
        queue.drop_oldest();
        if let Some(heard) = queue.heard.pop_front() {
            return Poll::Ready(Some(heard));
        }
        if queue.closed {
            return Poll::Ready(None);
        }
        queue.waker = Some(context.waker().clone());
        Poll::Pending
    }
}
