//! Workflows from every source.

mod caching;
mod ids;
mod order;
mod sources;
mod trouble;
