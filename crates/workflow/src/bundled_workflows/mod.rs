//! The workflows that come with Piton.
//!
//! They are files of the strict dialect like any other (`crates/workflow/workflows`), embedded in the program
//! as text. [`Bundled`] is the set, and [`resolve`] finds one by its id or by an older name.
//!
//! *Invariants*: every file compiles, under the id that the set gives it. Their namespace `wr` is refused to
//! every other source, so no file of a user ever replaces one of them.

mod resolve;
mod set;

pub use resolve::{AliasWarning, Resolved, resolve};
pub use set::Bundled;
