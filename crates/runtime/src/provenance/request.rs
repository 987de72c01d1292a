//! References to nodes of runs.

use std::str::FromStr;

use crate::request::SessionReference;

/// A node of a run as people name it: `RUN` or `RUN@NODE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeReference {
    pub run: SessionReference,
    /// The node: its id, the end of the id, or the id of a step. Without it, the current position of the run.
    pub node: Option<String>,
}

/// The error for a text that names no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a node is named as RUN or RUN@NODE")]
pub struct NodeReferenceError;

impl FromStr for NodeReference {
    type Err = NodeReferenceError;

    fn from_str(text: &str) -> Result<Self, NodeReferenceError> {
        let (run, node) = match text.split_once('@') {
            Some((run, node)) => (run, Some(node.trim())),
            None => (text, None),
        };
        if run.trim().is_empty() || node.is_some_and(str::is_empty) {
            return Err(NodeReferenceError);
        }
        let run = SessionReference(run.trim().to_owned());
        Ok(Self { run, node: node.map(str::to_owned) })
    }
}
