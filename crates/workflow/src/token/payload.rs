//! What a token says, and its one encoding: canonical JSON with exactly the fields of its kind.
//!
//! Pure: no keys, no signature, no port. Signing is in a file of its own.
//!
//! *Invariants*: [`Payload::encode`] and [`Payload::decode`] are inverse to each other. Decoding reads
//! the fields and then encodes them again; bytes that differ from that (another order, a space, a
//! `null`, a field too many) are refused, so there is no second way to write a payload.

use piton_core::{AttemptId, CanonicalBytes, NodeId, RunId, SessionId, WorkflowHash, canonical};
use serde::{Deserialize, Serialize};

use super::address::NodeAddress;
use super::error::{FormatProblem, TokenError};
use super::kind::TokenKind;

/// The version of every payload that is written.
const VERSION: u64 = 1;

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatePayload {
    /// The node.
    pub address: NodeAddress,
    /// The compiled workflow that the run is pinned to.
    pub workflow_hash: WorkflowHash,
}

/// The right to hand in the output of a node's pending step, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckPayload {
    /// The node.
    pub address: NodeAddress,
    /// The attempt; handing in again under the same one changes nothing.
    pub attempt: AttemptId,
}

/// The right to make a bookmark on a node, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointPayload {
    /// The node.
    pub address: NodeAddress,
    /// The attempt; asking again under the same one changes nothing.
    pub attempt: AttemptId,
}

/// What a token of any kind says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Of a state token.
    State(StatePayload),
    /// Of an ack token.
    Ack(AckPayload),
    /// Of a checkpoint token.
    Checkpoint(CheckpointPayload),
}

impl Payload {
    /// The kind of the token.
    pub const fn kind(&self) -> TokenKind {
        match self {
            Self::State(_) => TokenKind::State,
            Self::Ack(_) => TokenKind::Ack,
            Self::Checkpoint(_) => TokenKind::Checkpoint,
        }
    }

    /// The node that the token is about.
    pub const fn address(&self) -> NodeAddress {
        match self {
            Self::State(payload) => payload.address,
            Self::Ack(payload) => payload.address,
            Self::Checkpoint(payload) => payload.address,
        }
    }

    /// The bytes that are signed.
    pub fn encode(&self) -> CanonicalBytes {
        canonical::encode(&Fields::of(self)).expect("a few short texts and a small number")
    }

    /// What `bytes` say, if they are what [`Payload::encode`] makes of it and of `kind`.
    pub fn decode(kind: TokenKind, bytes: &[u8]) -> Result<Self, TokenError> {
        let fields = serde_json::from_slice::<Fields>(bytes).ok();
        let fields = fields.filter(|fields| fields.token_version == VERSION);
        let fields = fields.ok_or_else(|| not_of_this_version(bytes))?;
        if fields.token_kind != kind {
            return Err(FormatProblem::KindDiffers { prefix: kind, payload: fields.token_kind })?;
        }
        let payload = fields.payload().ok_or(FormatProblem::Payload)?;
        if payload.encode().as_bytes() != bytes {
            return Err(FormatProblem::NotCanonical)?;
        }
        Ok(payload)
    }

    /// What a token says that stands where a state token belongs.
    pub const fn into_state(self) -> Result<StatePayload, TokenError> {
        match self {
            Self::State(payload) => Ok(payload),
            Self::Ack(_) | Self::Checkpoint(_) => Err(self.instead_of(TokenKind::State)),
        }
    }

    /// What a token says that stands where an ack token belongs.
    pub const fn into_ack(self) -> Result<AckPayload, TokenError> {
        match self {
            Self::Ack(payload) => Ok(payload),
            Self::State(_) | Self::Checkpoint(_) => Err(self.instead_of(TokenKind::Ack)),
        }
    }

    /// What a token says that stands where a checkpoint token belongs.
    pub const fn into_checkpoint(self) -> Result<CheckpointPayload, TokenError> {
        match self {
            Self::Checkpoint(payload) => Ok(payload),
            Self::State(_) | Self::Ack(_) => Err(self.instead_of(TokenKind::Checkpoint)),
        }
    }

    const fn instead_of(&self, wanted: TokenKind) -> TokenError {
        TokenError::ScopeMismatch { wanted, found: self.kind() }
    }
}

impl StatePayload {
    /// Whether the run is pinned to the workflow that the token names.
    pub fn check_pin(&self, pinned: WorkflowHash) -> Result<(), TokenError> {
        if self.workflow_hash == pinned {
            return Ok(());
        }
        Err(TokenError::WorkflowHashMismatch { token: self.workflow_hash, pinned })
    }
}

/// Why `bytes` are no payload: another version may have other fields, which is no damage.
fn not_of_this_version(bytes: &[u8]) -> TokenError {
    match serde_json::from_slice::<Versioned>(bytes) {
        Ok(Versioned { token_version }) if token_version != VERSION => {
            TokenError::UnsupportedVersion
        }
        _ => FormatProblem::Payload.into(),
    }
}

/// The one field that every version has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Versioned {
    token_version: u64,
}

/// The fields as they are written. Which of the last two is there depends on the kind.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Fields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attempt_id: Option<AttemptId>,
    node_id: NodeId,
    run_id: RunId,
    session_id: SessionId,
    token_kind: TokenKind,
    token_version: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workflow_hash: Option<WorkflowHash>,
}

impl Fields {
    fn of(payload: &Payload) -> Self {
        let (workflow_hash, attempt_id) = match payload {
            Payload::State(payload) => (Some(payload.workflow_hash), None),
            Payload::Ack(payload) => (None, Some(payload.attempt)),
            Payload::Checkpoint(payload) => (None, Some(payload.attempt)),
        };
        let address = payload.address();
        Self {
            token_version: VERSION,
            token_kind: payload.kind(),
            session_id: address.session,
            run_id: address.run,
            node_id: address.node,
            workflow_hash,
            attempt_id,
        }
    }

    /// `None` if the field of the kind is missing. One too many is found by encoding again.
    fn payload(&self) -> Option<Payload> {
        let address =
            NodeAddress { session: self.session_id, run: self.run_id, node: self.node_id };
        Some(match self.token_kind {
            TokenKind::State => {
                Payload::State(StatePayload { address, workflow_hash: self.workflow_hash? })
            }
            TokenKind::Ack => Payload::Ack(AckPayload { address, attempt: self.attempt_id? }),
            TokenKind::Checkpoint => {
                Payload::Checkpoint(CheckpointPayload { address, attempt: self.attempt_id? })
            }
        })
    }
}
