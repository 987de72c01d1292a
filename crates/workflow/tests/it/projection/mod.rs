//! What the events of a session add up to.

mod branches;
mod inherited;
mod log;
mod resume;
mod status;
mod tip;
