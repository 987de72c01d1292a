//! Where things come from: the steps behind a node, the notes behind a line of a recap, a token to fork from, and what
//! differs between two branches.
//!
//! | file | does |
//! |---|---|
//! | `request`, `reply` | what goes in and what comes out |
//! | `place` | which node a person means |
//! | `chain` | the steps on the way to a node, with what was handed in |
//! | `recap` | a recap line by line, with the output that each came from |
//! | `fork` | a token for any node of a run |
//! | `compare` | two nodes: their common ancestor, and what each side did since |
//! | `text_diff` | two texts, line by line |
//!
//! *Invariants*: nothing here writes. What is told comes from the log alone.

mod chain;
mod compare;
mod fork;
mod place;
mod recap;
mod reply;
mod request;
mod text_diff;

pub use reply::{
    ChainLink, ChangedKey, ChangedOutput, Compared, Forked, NodeBlame, OutputShown, RecapBlame,
    RecapLine, RecapSource, Side,
};
pub use request::{NodeReference, NodeReferenceError};
