//! From a workflow file to a compiled workflow.

mod delegation;
mod expansion;
mod function;
mod hash;
mod lint;
mod prompt;
mod recommendation;
mod workflow;
