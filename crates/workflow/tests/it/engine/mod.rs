//! What happens next in a run.

mod flow;
mod properties;
mod samples;
