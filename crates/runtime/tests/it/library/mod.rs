//! Workflows from every source.

mod caching;
mod ids;
mod order;
mod trouble;
