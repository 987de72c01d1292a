//! Frames written by models.
//!
//! | file | contents |
//! |---|---|
//! | `generate_frames` | the request and the result |
//! | `plan` | the nodes to process, deepest first, and the maximum cost |
//! | `question` | the question to a model about one node |
//! | `fill` | generates frames node by node, several at a time, at the rate that a provider allows |
//!
//! *Invariants*: the inputs of a frame are known before a model is asked. If a frame with the same inputs exists, it is
//! the answer. So interrupted work resumes where it stopped, and nothing is paid for twice. A directory is asked about
//! after everything in it.

mod fill;
mod generate_frames;
mod plan;
mod question;

pub use fill::{GenerateProgress, GenerateSpec};
pub use generate_frames::{Fate, GenerateFrames, Generated, GeneratedFrame, OnFailure};
pub use plan::{Estimate, Generator, Plan};
