//! What happens next in a run.

mod decide;
mod flow;
mod judge;
pub(crate) mod properties;
pub(crate) mod samples;
