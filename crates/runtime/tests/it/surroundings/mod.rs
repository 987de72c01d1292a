//! Where a call happens.

mod git;
mod project;
