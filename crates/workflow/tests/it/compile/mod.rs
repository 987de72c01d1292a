//! From a workflow file to a compiled workflow.

mod access;
mod delegation;
mod expansion;
mod function;
pub(crate) mod hash;
mod lint;
mod prompt;
mod recommendation;
mod workflow;
