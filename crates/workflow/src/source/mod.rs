//! Workflow files as their authors write them.
//!
//! A file is JSON in one of Piton's dialects. Each dialect has a module that reads it, and all of them are
//! lowered to one [`CompiledWorkflow`](crate::compile::CompiledWorkflow). Today there is one dialect:
//!
//! * *strict*: loops are driven by a contract only, prompts hold no variables, and texts, templates and
//!   contracts come from closed sets.
//!
//! *Invariants*: reading reports every problem of a file at once, each with its place, a code of a closed
//! set, and what to do about it. A field that a dialect does not know is a problem.

mod builtin_id;
mod json;
mod pointer;
mod problem;
mod read;
pub(crate) mod strict;
mod workflow_id;

pub use builtin_id::{ContractRef, FeatureId, RefId, TemplateId};
pub use pointer::Pointer;
pub use problem::{Problem, ProblemCode};
pub use workflow_id::{DeclaredId, IdStatus, Origin, Purpose};

pub(crate) use json::parse;
pub(crate) use problem::Problems;
pub(crate) use read::{Object, Read, Whole, parsed};

piton_core::closed_set! {
    /// In which form a workflow file is written.
    pub enum Dialect {
        /// Loops by contract, no variables in prompts.
        Strict => "strict",
    }
}
