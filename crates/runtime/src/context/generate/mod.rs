//! Frames that models write.
//!
//! | file | holds |
//! |---|---|
//! | `request`, `reply` | what is asked, and what came of it |
//! | `plan` | which nodes are done, the deepest first, and what that costs at most |
//! | `source` | files of the project, as text |
//! | `question` | what a model is asked about one node |
//! | `pace` | how fast a provider is asked |
//! | `fill` | one node after the other, several at once |
//!
//! *Invariants*: what a frame was made from is known before a model is asked; the same again is answered by the frame
//! that is there. So work that was interrupted goes on where it stopped, and pays for nothing twice. A directory is
//! asked about after everything in it.

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
