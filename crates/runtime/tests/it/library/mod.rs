mod caching;
mod ids;
mod order;
mod trouble;
