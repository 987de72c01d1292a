//! The single place in a run that emits events.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_core::{Clock, RunId};

use super::run_event::{EventKind, RunEvent, Touched, cut};
use super::subscription::Listener;
use crate::{Action as Done, Committed, Event as Observed, NodeIdentity};

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
