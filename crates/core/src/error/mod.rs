//! The error envelope: what a person or an agent reads when something fails, on every surface.
//!
//! *Invariants*: codes are a closed set, each with a meaning, an advice and a retry rule of its own
//! ([`Code`]). Whether and when to retry is said in [`Retry`], so that no program has to read prose.

mod code;
mod details;
mod domain;
mod envelope;
mod facts;
mod page;
mod retry;
mod sentence;

pub use code::Code;
pub use details::{Details, DetailsError};
pub use domain::Domain;
pub use envelope::{Envelope, MeasuredSize};
pub use retry::Retry;
pub use sentence::sentence;
