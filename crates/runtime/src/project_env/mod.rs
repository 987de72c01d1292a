//! Where a call happens: the project directory, and what git says about it.
//!
//! | file | holds |
//! |---|---|
//! | `project` | which directory a call is about |
//! | `git` | the files of git, read without git |
//! | `checkout` | what those files say, pure |
//! | `observe` | what is recorded of that |
//!
//! *Invariants*: what cannot be read is left out; no call fails because of it.

mod checkout;
mod git;
mod observe;
mod project;

pub use checkout::Checkout;
pub use git::checkout;
pub use observe::observations;
pub use project::{ProjectDir, project_dir};
