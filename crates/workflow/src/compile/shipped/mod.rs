//! The shipped dialect, lowered to a compiled workflow.
//!
//! | file | does |
//! |---|---|
//! | `lower` | goes through the file, and keeps what was found |
//! | `task` | one step |
//! | `repeated` | one loop |
//! | `routine` | the steps of a routine in place of its call |
//! | `derived` | steps that follow from others: verification, audit, delegations, synthesis |
//! | `wording` | what an agent reads |
//! | `feature` | what an author switches on for every step |
//!
//! *Invariants*: whatever the author declares for an agent stands in a prompt, in the opening of the run, or in
//! what is checked. What means nothing is named in a warning.

mod derived;
mod feature;
mod lower;
mod repeated;
mod routine;
mod task;
mod wording;

pub(super) use lower::lower;
