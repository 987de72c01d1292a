//! Live events of a run.
//!
//! * [`RunEvent`], [`EventKind`]: a single event.
//! * [`EventFilter`], [`Subscription`]: receiving events without delaying the run.
//!
//! *Invariants*: no event carries the state or a protected value. Emitting an event never waits and never fails.

mod delivery;
mod run_event;

pub(crate) use delivery::{Audience, Emitter, Tap, pair};
pub use delivery::{EventFilter, SubscriberEvent, Subscription};
pub(crate) use run_event::cut;
pub use run_event::{EventKind, EventName, RunEvent, RunStatus, Touched};
