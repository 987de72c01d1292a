//! A project's Merkle tree with attributed, verifiable context frames.
pub mod bounds;
mod error;
pub mod scan;
pub mod tree;
pub use error::Error;
