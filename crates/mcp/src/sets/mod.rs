//! What makes the calls of each set.
//!
//! A set is told a [`Call`] whose arguments fit the schema of its tool, and answers with what was [`Told`] or with
//! an envelope. It knows nothing of the protocol.

mod call;
mod files;
mod given;
mod person;
mod set;
mod told;
mod workflow;

pub use call::Call;
pub use given::Offer;
pub use person::{Asked, Form, Heard, Person};
pub use set::ToolSet;
pub use told::Told;
