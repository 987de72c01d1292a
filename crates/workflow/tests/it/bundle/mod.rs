//! Bundles: their form, their digests, and what is refused.

mod format;
mod golden;
mod integrity;
mod refusals;
mod samples;
mod tampering;
