//! What the events of a session add up to.

mod branches;
mod inherited;
mod log;
mod own_outputs;
mod recap;
mod required;
pub(crate) mod resume;
mod status;
mod summary;
mod tip;
