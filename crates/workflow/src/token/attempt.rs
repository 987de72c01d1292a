//! Ids that are computed instead of drawn, so that the same question gets the same answer.
//!
//! A read of a run hands out tokens and writes nothing, and asking again must give the same ones. So the
//! id of an attempt is a digest of what the attempt is about and of how many attempts were recorded on
//! the node before it. A checkpoint has no record of its attempt, so its node takes its id from the
//! attempt instead: the second try finds the node.
//!
//! *Invariants*: only ids, names of closed sets and counts go into an id; no clock and no randomness.
//! Each digest says what it derives, so that two derivations never meet in one id.

use std::fmt;

use piton_core::{AttemptId, Digest, NodeId, RunId, SessionId, canonical};
use serde::Serialize;

use super::address::NodeAddress;
use super::kind::TokenKind;

piton_core::closed_set! {
    /// What an attempt is for.
    pub enum AttemptKind {
        /// Handing in the output of the pending step.
        Ack => "ack",
        /// Making a bookmark.
        Checkpoint => "checkpoint",
    }
}

impl From<AttemptKind> for TokenKind {
    fn from(kind: AttemptKind) -> Self {
        match kind {
            AttemptKind::Ack => Self::Ack,
            AttemptKind::Checkpoint => Self::Checkpoint,
        }
    }
}

/// How many attempts were recorded on a node before this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptOrdinal(u32);

impl AttemptOrdinal {
    /// The first attempt.
    pub const FIRST: Self = Self(0);

    /// The attempt that `before` others precede.
    pub const fn new(before: u32) -> Self {
        Self(before)
    }

    /// How many precede it.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for AttemptOrdinal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// The id of the attempt of `kind` at `address` that comes after `ordinal` others.
pub fn attempt_id(address: NodeAddress, kind: AttemptKind, ordinal: AttemptOrdinal) -> AttemptId {
    let NodeAddress { session: session_id, run: run_id, node: node_id } = address;
    let derived = Derived::Attempt { session_id, run_id, node_id, kind, ordinal: ordinal.0 };
    AttemptId::from_digest(&derived.digest())
}

/// The id of the checkpoint node that `attempt` at `address` makes.
pub fn checkpoint_node_id(address: NodeAddress, attempt: AttemptId) -> NodeId {
    let NodeAddress { session: session_id, run: run_id, node: node_id } = address;
    let derived = Derived::CheckpointNode { session_id, run_id, node_id, attempt_id: attempt };
    NodeId::from_digest(&derived.digest())
}

/// What an id is the digest of.
#[derive(Serialize)]
#[serde(tag = "derived", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Derived {
    Attempt {
        kind: AttemptKind,
        node_id: NodeId,
        ordinal: u32,
        run_id: RunId,
        session_id: SessionId,
    },
    CheckpointNode {
        attempt_id: AttemptId,
        node_id: NodeId,
        run_id: RunId,
        session_id: SessionId,
    },
}

impl Derived {
    fn digest(&self) -> Digest {
        Digest::of(&canonical::encode(self).expect("a few short texts and a small number"))
    }
}
