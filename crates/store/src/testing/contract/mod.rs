//! One suite of checks per port, which every adapter of the port runs.
//!
//! A suite takes a function that makes a fresh adapter, checks every sentence of the promise that stands on the trait,
//! and panics where an adapter breaks it. Differences between adapters, such as how a test makes a blob look old, go
//! into a small trait that the caller implements.
//!
//! Limitations: durability after a crash cannot be seen through a port; the adapters on disk have tests of their own
//! for it. Suites use the tokio runtime that they are called on.

pub mod blobs;
pub mod cache;
pub mod changes;
pub mod index;
pub mod journal;
pub mod keyring;
pub mod leases;
pub mod replies;
pub mod table;
