//! Sessions that are carried out of a data directory and into another one.
#![expect(clippy::unwrap_used, reason = "tests and their helpers stop at the first surprise")]

mod export;
mod import;
mod interrupted;
mod resumed;
mod salvage;
pub(crate) mod store;
pub(crate) mod tale;
