//! Ids of frames.

use std::{fmt, str::FromStr};

use piton_core::{Digest, DigestError, canonical};
use serde::{Deserialize, Serialize};

use super::Basis;
use crate::{
    tree::TreePath,
    word::{AgentId, FrameType},
};

/// The digest of a frame's path, type, agent and basis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FrameId(Digest);

/// The hashed fields.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FramePreimage<'a> {
    path: &'a TreePath,
    frame_type: &'a FrameType,
    agent_id: &'a AgentId,
    basis: &'a Basis,
}

impl FrameId {
    /// Computes the id of a frame.
    pub fn of(path: &TreePath, frame_type: &FrameType, agent_id: &AgentId, basis: &Basis) -> Self {
        let identity = FramePreimage { path, frame_type, agent_id, basis };
        let bytes = canonical::encode(&identity).expect("it has texts and small numbers only");
        Self(Digest::of(&bytes))
    }

    /// Wraps a digest that is known to be the id of a frame.
    pub const fn new(digest: Digest) -> Self {
        Self(digest)
    }

    /// Returns the digest.
    pub const fn digest(self) -> Digest {
        self.0
    }
}

impl FromStr for FrameId {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        text.parse().map(Self)
    }
}

impl fmt::Display for FrameId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

impl fmt::Debug for FrameId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}
