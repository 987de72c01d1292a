//! Lowers the shipped dialect to a compiled workflow.
//!
//! | file | does |
//! |---|---|
//! | `lower` | walks the file and collects the results |
//! | `task` | one step |
//! | `repeated` | one loop |
//! | `routine` | the steps of a routine in place of its call |
//! | `derived` | steps that follow from others: verification, audit, delegations, synthesis |
//! | `wording` | the text that an agent reads |
//! | `feature` | additions that an author switches on for every step |
//!
//! *Invariants*: everything that the author declares for an agent is in a prompt, in the opening of the run,
//! or in a check. A declaration without a meaning is named in a warning.

mod derived;
mod feature;
mod lower;
mod repeated;
mod routine;
mod task;
mod wording;

pub(super) use lower::lower;
