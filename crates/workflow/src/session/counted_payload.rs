//! What the tokens of a place say, and where their short forms point.

use super::reply_basis::ReplyBasis;
use crate::token::{
    self, AckPayload, AttemptKind, AttemptOrdinal, CheckpointPayload, Payload, StatePayload,
    attempt_id,
};

/// A payload, and what its short form counts.
pub(super) type CountedPayload = (Payload, token::TokenOrdinals);

pub(super) fn state(place: &ReplyBasis) -> CountedPayload {
    let workflow_hash = place.workflow_hash;
    let payload = StatePayload { address: place.address, workflow_hash };
    (Payload::State(payload), at(place, AttemptOrdinal::FIRST))
}

pub(super) fn ack(place: &ReplyBasis) -> CountedPayload {
    let address = place.address;
    let attempt = attempt_id(address, AttemptKind::Ack, place.ack);
    (Payload::Ack(AckPayload { address, attempt }), at(place, place.ack))
}

pub(super) fn checkpoint(place: &ReplyBasis) -> CountedPayload {
    let address = place.address;
    let attempt = attempt_id(address, AttemptKind::Checkpoint, place.checkpoint);
    let payload = CheckpointPayload { address, attempt };
    (Payload::Checkpoint(payload), at(place, place.checkpoint))
}

fn at(place: &ReplyBasis, attempt: AttemptOrdinal) -> token::TokenOrdinals {
    token::TokenOrdinals { node: place.ordinal, attempt }
}
