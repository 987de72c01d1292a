//! The error envelope, which a person or an agent reads when something fails, on every surface.
//!
//! *Invariants*: codes are a closed set, each with its own meaning, advice and retry rule ([`Code`]). [`Retry`] says
//! whether and when to retry, so that no program has to parse prose.

mod code;
mod details;
mod envelope;
mod page;

pub use code::{Code, Domain};
pub use details::{Details, DetailsError};
pub use envelope::{Envelope, MeasuredSize, Retry};

pub use crate::display::sentence;
