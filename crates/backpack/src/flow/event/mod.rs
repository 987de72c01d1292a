//! Live events of a run.
//!
//! * [`RunEvent`], [`EventKind`]: a single event.
//! * [`EventFilter`], [`Subscription`]: receiving events without delaying the run.
//!
//! *Invariants*: no event carries the state or a protected value. Emitting an event never waits and never fails.

mod emitter;
mod run_event;
mod subscription;

pub(crate) use emitter::{Audience, Emitter, Tap};
pub(crate) use run_event::cut;
pub use run_event::{EventKind, EventName, RunEvent, RunStatus, Touched};
pub(crate) use subscription::pair;
pub use subscription::{EventFilter, SubscriberEvent, Subscription};
