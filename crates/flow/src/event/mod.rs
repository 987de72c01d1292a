//! What happens in a run, told live.
//!
//! * [`RunEvent`], [`EventKind`]: one thing that happened.
//! * [`EventFilter`], [`Subscription`]: who wants to know what, and how it is told without holding anything up.
//!
//! *Invariants*: no event carries the state or a protected value. Telling never waits and never fails.

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
