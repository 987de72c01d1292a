//! Tests of the backpack through its public interface.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise, start threads and touch the disk"
)]

mod access;
mod document;
mod errors;
mod flow;
mod frozen;
mod history;
mod journal;
mod observing;
mod packing;
mod properties;
mod provenance;
mod rig;
mod secrets;
mod time_travel;
mod worker;
