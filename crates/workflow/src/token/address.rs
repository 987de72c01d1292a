//! The node that a token refers to.

use piton_core::{NodeId, RunId, SessionId};

/// The full address of a run node; nothing else is needed to find it.
///
/// The node id alone would be enough within a session. The run is included so that a token of one run is
/// never mistaken for a token of another, whatever a log says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeAddress {
    pub session: SessionId,
    pub run: RunId,
    pub node: NodeId,
}
