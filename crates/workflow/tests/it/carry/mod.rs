//! Sessions that are carried out of a data directory and into another one.

mod export;
mod import;
mod interrupted;
mod salvage;
pub(crate) mod store;
pub(crate) mod story;
pub(crate) mod watched;
