//! Frames written by models.
//!
//! | file | contents |
//! |---|---|
//! | `request`, `reply` | the request and the result |
//! | `plan` | the nodes to process, deepest first, and the maximum cost |
//! | `source` | files of the project, as text |
//! | `question` | the question to a model about one node |
//! | `pace` | the rate of calls to a provider |
//! | `fill` | generates frames node by node, several at a time |
//!
//! *Invariants*: the inputs of a frame are known before a model is asked. If a frame with the same inputs exists, it is
//! the answer. So interrupted work resumes where it stopped, and nothing is paid for twice. A directory is asked about
//! after everything in it.

mod fill;
mod pace;
mod plan;
mod question;
mod reply;
mod request;
mod source;

pub use fill::{GenerateProgress, GenerateSpec};
pub use plan::{Estimate, Plan};
pub use reply::{Fate, Generated, GeneratedFrame};
pub use request::{GenerateFrames, OnFailure};
