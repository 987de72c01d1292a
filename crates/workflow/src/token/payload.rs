//! The content of a token and its one encoding: canonical JSON with exactly the fields of its kind.
//!
//! Pure: no keys, no signature, no port. Signing has a module of its own.
//!
//! *Invariants*: [`Payload::encode`] and [`Payload::decode`] are inverse to each other. Decoding reads the
//! fields and encodes them again. Bytes that differ from the result (another order, a space, a `null`, a
//! surplus field) are refused, so there is no second way to write a payload.

use piton_core::{AttemptId, CanonicalBytes, NodeId, RunId, SessionId, WorkflowHash, canonical};
use serde::{Deserialize, Serialize};

use super::error::{FormatProblem, TokenError};

/// The version of every payload that is written.
const VERSION: u64 = 1;

/// The content of a state token: the position of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatePayload {
    pub address: NodeAddress,
    /// The compiled workflow that the run is pinned to.
    pub workflow_hash: WorkflowHash,
}

/// The right to submit the output of a node's pending step, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckPayload {
    pub address: NodeAddress,
    /// Submitting again under the same attempt changes nothing.
    pub attempt: AttemptId,
}

/// The right to bookmark a node, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointPayload {
    pub address: NodeAddress,
    /// Asking again under the same attempt changes nothing.
    pub attempt: AttemptId,
}

/// The content of a token of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    State(StatePayload),
    Ack(AckPayload),
    Checkpoint(CheckpointPayload),
}

impl Payload {
    /// Returns the kind of the token.
    pub const fn kind(&self) -> TokenKind {
        match self {
            Self::State(_) => TokenKind::State,
            Self::Ack(_) => TokenKind::Ack,
            Self::Checkpoint(_) => TokenKind::Checkpoint,
        }
    }

    /// Returns the node that the token refers to.
    pub const fn address(&self) -> NodeAddress {
        match self {
            Self::State(payload) => payload.address,
            Self::Ack(payload) => payload.address,
            Self::Checkpoint(payload) => payload.address,
        }
    }

    /// Returns the bytes that are signed.
    pub fn encode(&self) -> CanonicalBytes {
        canonical::encode(&Fields::of(self)).expect("a few short texts and a small number")
    }

    /// Decodes `bytes` if they are exactly what [`Payload::encode`] writes for a token of `kind`.
    pub fn decode(kind: TokenKind, bytes: &[u8]) -> Result<Self, TokenError> {
        // Unknown fields are refused here. A known field that belongs to another kind is found below.
        let fields = serde_json::from_slice::<Fields>(bytes).ok();
        // The version is checked before the kind: in another version even the kind may mean something else.
        let fields = fields.filter(|fields| fields.token_version == VERSION);
        let fields = fields.ok_or_else(|| not_of_this_version(bytes))?;
        // The prefix of the text is not signed. Comparing it with the payload keeps anyone from relabelling a
        // token.
        if fields.token_kind != kind {
            return Err(FormatProblem::KindDiffers { prefix: kind, payload: fields.token_kind })?;
        }
        let payload = fields.payload().ok_or(FormatProblem::Payload)?;
        // Encoding again catches every other spelling, including the surplus field that `Fields` accepts for
        // the wrong kind.
        if payload.encode().as_bytes() != bytes {
            return Err(FormatProblem::NotCanonical)?;
        }
        Ok(payload)
    }

    /// Returns the payload if this is a state token, or the error for a token of the wrong kind.
    pub const fn into_state(self) -> Result<StatePayload, TokenError> {
        match self {
            Self::State(payload) => Ok(payload),
            Self::Ack(_) | Self::Checkpoint(_) => Err(self.instead_of(TokenKind::State)),
        }
    }

    /// Returns the payload if this is an ack token, or the error for a token of the wrong kind.
    pub const fn into_ack(self) -> Result<AckPayload, TokenError> {
        match self {
            Self::Ack(payload) => Ok(payload),
            Self::State(_) | Self::Checkpoint(_) => Err(self.instead_of(TokenKind::Ack)),
        }
    }

    /// Returns the payload if this is a checkpoint token, or the error for a token of the wrong kind.
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
    /// Checks that the run is pinned to the workflow that the token names.
    pub fn check_pin(&self, pinned: WorkflowHash) -> Result<(), TokenError> {
        if self.workflow_hash == pinned {
            return Ok(());
        }
        Err(TokenError::WorkflowHashMismatch { token: self.workflow_hash, pinned })
    }
}

/// Returns the reason that `bytes` are no payload. Another version may have other fields, which is not
/// damage.
fn not_of_this_version(bytes: &[u8]) -> TokenError {
    match serde_json::from_slice::<Versioned>(bytes) {
        Ok(Versioned { token_version }) if token_version != VERSION => {
            TokenError::UnsupportedVersion
        }
        _ => FormatProblem::Payload.into(),
    }
}

/// The only field that every version has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Versioned {
    token_version: u64,
}

/// The fields as they are written. The kind determines which of the two optional ones is present.
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

    /// Returns `None` if the field that the kind requires is missing. Encoding again finds a surplus one.
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

piton_core::closed_set! {
    /// What a token is for.
    pub enum TokenKind {
        /// Reading where a run stands.
        State => "state",
        /// Submitting the output of a pending step, once.
        Ack => "ack",
        /// Making a bookmark, once.
        Checkpoint => "checkpoint",
    }
}

impl TokenKind {
    /// Returns the name that parameters and replies use for such a token.
    pub const fn parameter(self) -> &'static str {
        match self {
            Self::State => "stateToken",
            Self::Ack => "ackToken",
            Self::Checkpoint => "checkpointToken",
        }
    }

    /// Returns the beginning of such a token's long form, up to the first dot.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::State => "st",
            Self::Ack => "ack",
            Self::Checkpoint => "chk",
        }
    }
}

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
