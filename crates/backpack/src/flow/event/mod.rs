//! Live events of a run.
//!
//! * [`RunEvent`], [`EventKind`]: a single event.
//! * [`EventFilter`], [`Subscription`]: receiving events without delaying the run.
//!
//! *Invariants*: no event carries the state or a protected value. Emitting an event never waits and never fails.

mod emitter;
mod filter;
mod kind;
mod run_event;
mod shortened;
mod subscription;

pub(crate) use emitter::{Audience, Emitter, Tap};
pub use filter::EventFilter;
pub use kind::{EventKind, EventName, RunStatus, Touched};
pub use run_event::RunEvent;
pub(crate) use shortened::cut;
pub(crate) use subscription::pair;
pub use subscription::{SubscriberEvent, Subscription};
