//! The console as browsers see it, byte for byte.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise, and connect as a browser does"
)]

mod api;
mod browser;
mod changes;
mod entering;
mod page;
