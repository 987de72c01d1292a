//! Payloads of the tokens of a node, and the ordinals that their short forms carry.

use super::reply_basis::ReplyBasis;
use crate::token::{
    self, AckPayload, AttemptKind, AttemptOrdinal, CheckpointPayload, Payload, StatePayload,
    attempt_id,
};

/// A payload and the ordinals that its short form carries.
pub(super) type CountedPayload = (Payload, token::TokenOrdinals);

pub(super) fn state(basis: &ReplyBasis) -> CountedPayload {
    let workflow_hash = basis.workflow_hash;
    let payload = StatePayload { address: basis.address, workflow_hash };
    (Payload::State(payload), at(basis, AttemptOrdinal::FIRST))
}

pub(super) fn ack(basis: &ReplyBasis) -> CountedPayload {
    let address = basis.address;
    let attempt = attempt_id(address, AttemptKind::Ack, basis.ack);
    (Payload::Ack(AckPayload { address, attempt }), at(basis, basis.ack))
}

pub(super) fn checkpoint(basis: &ReplyBasis) -> CountedPayload {
    let address = basis.address;
    let attempt = attempt_id(address, AttemptKind::Checkpoint, basis.checkpoint);
    let payload = CheckpointPayload { address, attempt };
    (Payload::Checkpoint(payload), at(basis, basis.checkpoint))
}

fn at(basis: &ReplyBasis, attempt: AttemptOrdinal) -> token::TokenOrdinals {
    token::TokenOrdinals { node: basis.ordinal, attempt }
}
