//! Lowers the classic dialect to a compiled workflow.
//!
//! | file | does |
//! |---|---|
//! | `lower` | walks the file and collects the results |
//! | `loops` | one loop |
//! | `routine` | the steps of a routine in place of its call |
//! | `derived` | steps that follow from others: verification, audit, delegations, synthesis |
//! | `feature` | additions that an author switches on for every step |
//!
//! *Invariants*: everything that the author declares for an agent is in a prompt, in the opening of the run,
//! or in a check. A declaration without a meaning is named in a warning.

mod derived;
mod feature;
mod loops;
mod lower;
mod routine;

pub(super) use lower::lower;
