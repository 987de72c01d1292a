//! Tokens: what they say, how they are written, and who signed them.
#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise")]

mod attempt;
mod error;
mod golden;
mod payload;
pub(crate) mod samples;
mod short;
mod sign;
mod string;
