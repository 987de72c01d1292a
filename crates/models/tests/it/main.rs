//! The behaviour of `piton-models` as other crates see it, against a model server on a real socket.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise, and put a key into a file"
)]

mod choose;
mod completeness;
mod faults;
mod keys;
mod rehearsed;
mod request;
mod retry;
mod scripted;
mod settings;
mod site;
mod wires;
