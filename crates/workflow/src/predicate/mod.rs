//! Conditions on the context of a run, for steps, loops, fragments and rules.
//!
//! A [`Predicate`] is typed data, read when a workflow is compiled. It is evaluated in a [`PredicateScope`]:
//! the context of the run, overlaid with the variables of the loops that the run is in.
//!
//! *Invariants*: pure and total. A predicate has an answer in any scope, and an absent variable is the same
//! as a null one.

mod data;
mod evaluate;
mod messages;
mod scope;

pub use data::{Comparison, Predicate};
pub use scope::PredicateScope;
