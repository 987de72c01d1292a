//! The layout of trees and frames in the table: keys and values. `docs/format/context.md` describes it. Pure.

pub(crate) mod bytes;
pub(crate) mod keys;
pub(crate) mod node;

pub use node::{ChildRecord, NodeBody};
