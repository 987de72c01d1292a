//! What happens next in a run.

mod decide;
mod flow;
mod judge;
mod properties;
pub(crate) mod samples;
