//! Bundles: their form, their digests, and what is refused.
#![expect(clippy::unwrap_used, reason = "tests and their helpers stop at the first surprise")]

mod format;
mod golden;
mod integrity;
mod refusals;
mod samples;
mod tampering;
