//! The dialect that existing workflow files use: how it is read, compiled and run.

mod assess;
mod criteria;
mod detect;
mod fields;
mod golden;
mod guidance;
mod lacking;
mod loops;
mod predicate;
mod problems;
mod properties;
mod render;
mod routine;
pub(crate) mod samples;
mod session;
