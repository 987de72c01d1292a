//! Questions about what a run was told: conditions of steps, loops, fragments and rules.
//!
//! A [`Predicate`] is typed data, read when a workflow is compiled. A [`PredicateScope`] is what it is asked about: the
//! context of the run, and over it the variables of the loops that the run is in.
//!
//! *Invariants*: pure and total. A predicate over any scope has an answer, and a variable that is not there
//! is like one that is null.

mod data;
mod evaluate;
mod messages;
mod scope;

pub use data::{Comparison, Predicate};
pub use scope::PredicateScope;
