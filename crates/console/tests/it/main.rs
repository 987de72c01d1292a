//! The console as browsers see it, byte for byte.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod api;
mod branches;
mod browser;
mod changes;
mod entering;
mod large;
mod page;
mod projects;
mod run_file;
