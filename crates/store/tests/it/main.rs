//! Tests of the store through its public interface.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests stop at the first surprise, touch the disk, and say what they counted"
)]

mod cache;
mod changes;
mod collection;
mod contracts;
mod crash;
mod errors;
mod file_system;
mod flips;
mod format;
mod frozen;
mod health;
mod index;
mod journal_contract;
mod keyring;
mod kill;
mod lease_queue;
mod long_stream;
mod model;
mod oversized;
mod protocol;
mod repair;
mod repairs;
mod site;
mod table;
mod worker;
