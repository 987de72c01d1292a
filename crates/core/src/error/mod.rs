//! The error envelope, which a person or an agent reads when something fails, on every surface.
//!
//! *Invariants*: codes are a closed set, each with its own meaning, advice and retry rule ([`Code`]). [`Retry`] says
//! whether and when to retry, so that no program has to parse prose.

mod code;
mod envelope;

pub use code::{Code, Domain};
pub use envelope::{Details, DetailsError, Envelope, MeasuredSize, Retry};

pub use crate::display::sentence;
