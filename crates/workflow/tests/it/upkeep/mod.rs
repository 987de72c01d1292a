//! What is removed, what is not, and what is checked.
#![expect(clippy::unwrap_used, reason = "tests and their helpers stop at the first surprise")]

mod clean;
mod control;
mod roots;
mod soundness;
