//! What happens next in a run.

mod decide;
mod next_step;
pub(crate) mod properties;
pub(crate) mod samples;
mod validate;
