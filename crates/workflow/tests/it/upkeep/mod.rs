//! What is removed, what is not, and what is checked.

mod clean;
mod control;
mod soundness;
