//! Tests of flows through their public interface.

mod batch;
mod builtin;
mod config;
mod contract;
mod criteria;
mod durable_batch;
mod events;
mod failure;
mod graph;
mod limits;
mod mapping;
mod namespaces;
mod phases;
mod probe;
mod promises;
mod protected;
mod replay;
mod resume;
mod routing;
mod site;
mod tools;
mod traps;
