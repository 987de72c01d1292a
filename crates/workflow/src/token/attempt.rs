//! Ids that are computed rather than drawn at random, so that the same question gets the same answer.
//!
//! Reading a run hands out tokens without writing anything, and reading it again must hand out the same ones.
//! The id of an attempt is therefore a digest of the attempt's subject and of the number of attempts that
//! were recorded on the node before it. A checkpoint has no record of its attempt, so its node takes its id
//! from the attempt instead: a retry finds the node that the first try made.
//!
//! *Invariants*: only ids, names of closed sets and counts go into an id; no clock and no randomness. Each
//! digest includes the kind of id that it derives, so two derivations never produce the same id.

use std::fmt;

use piton_core::{AttemptId, Digest, NodeId, RunId, SessionId, canonical};
use serde::Serialize;

use super::payload::{NodeAddress, TokenKind};

piton_core::closed_set! {
    /// What an attempt is for.
    pub enum AttemptKind {
        /// Submitting the output of the pending step.
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

/// The number of attempts that were recorded on a node before this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptOrdinal(u32);

impl AttemptOrdinal {
    /// The first attempt.
    pub const FIRST: Self = Self(0);

    /// Creates the ordinal of an attempt that `before` others precede.
    pub const fn new(before: u32) -> Self {
        Self(before)
    }

    /// Returns the number of attempts before this one.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for AttemptOrdinal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// Derives the id of the attempt of `kind` at `address` that comes after `ordinal` others.
pub fn attempt_id(address: NodeAddress, kind: AttemptKind, ordinal: AttemptOrdinal) -> AttemptId {
    let NodeAddress { session: session_id, run: run_id, node: node_id } = address;
    // No randomness: a retry with the same ordinal must arrive at the same id, so that it is recognised.
    let derived = Derived::Attempt { session_id, run_id, node_id, kind, ordinal: ordinal.0 };
    AttemptId::from_digest(&derived.digest())
}

/// Derives the id of the checkpoint node that `attempt` at `address` makes.
pub fn checkpoint_node_id(address: NodeAddress, attempt: AttemptId) -> NodeId {
    let NodeAddress { session: session_id, run: run_id, node: node_id } = address;
    // The attempt is part of the digest, so a second bookmark on the same node gets a node of its own.
    let derived = Derived::CheckpointNode { session_id, run_id, node_id, attempt_id: attempt };
    NodeId::from_digest(&derived.digest())
}

/// The input of the digest that an id is taken from.
///
/// The serialized tag keeps the two derivations apart even if their fields were equal.
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
        // Canonical JSON names and separates the fields, so different inputs never share an encoding.
        Digest::of(&canonical::encode(self).expect("a few short texts and a small number"))
    }
}
