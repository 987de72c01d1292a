//! Which node a token is about.

use piton_core::{NodeId, RunId, SessionId};

/// A node of a run, found from nothing but this.
///
/// The id of the node alone would do within a session. The run is part of it so that a token of one run
/// is never taken for a token of another, whatever a log says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeAddress {
    /// The session that the run is recorded in.
    pub session: SessionId,
    /// The run.
    pub run: RunId,
    /// The node.
    pub node: NodeId,
}
