//! Payloads and keys with known bytes.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Waker};

use piton_core::{AttemptId, Digest, Entropy, NodeId, RunId, SessionId, WorkflowHash};
use piton_store::memory::MemoryKeyRing;
use piton_store::port::KeyRing;
use piton_workflow::token::{
    AckPayload, AttemptOrdinal, CheckpointPayload, Error, NodeOrdinal, Payload, StatePayload,
    TokenOrdinals, mint_forms,
};
use piton_workflow::{NodeAddress, ShortToken, TokenString};

pub(crate) fn address() -> NodeAddress {
    NodeAddress {
        session: SessionId::from_bytes([1; 16]),
        run: RunId::from_bytes([2; 16]),
        node: NodeId::from_bytes([3; 16]),
    }
}

pub(crate) fn attempt() -> AttemptId {
    AttemptId::from_bytes([4; 16])
}

pub(crate) fn workflow_hash() -> WorkflowHash {
    WorkflowHash::new(Digest::from_bytes([5; 32]))
}

pub(crate) fn state() -> StatePayload {
    StatePayload { address: address(), workflow_hash: workflow_hash() }
}

pub(crate) fn ack() -> AckPayload {
    AckPayload { address: address(), attempt: attempt() }
}

pub(crate) fn checkpoint() -> CheckpointPayload {
    CheckpointPayload { address: address(), attempt: attempt() }
}

/// A payload of each kind.
pub(crate) fn payloads() -> [Payload; 3] {
    [Payload::State(state()), Payload::Ack(ack()), Payload::Checkpoint(checkpoint())]
}

/// The first key is the bytes 0 to 31, the next one 1 to 32, and so on.
struct Counting(AtomicU8);

impl Entropy for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        let start = self.0.fetch_add(1, Ordering::Relaxed);
        for (byte, value) in bytes.iter_mut().zip(start..) {
            *byte = value;
        }
    }
}

/// Keys that are known to the tests, and to the program that made the golden tokens.
pub(crate) fn keys() -> MemoryKeyRing {
    MemoryKeyRing::new(Arc::new(Counting(AtomicU8::new(0))))
}

/// The long form of the token that says `payload`.
pub(crate) async fn mint(payload: &Payload, keys: &dyn KeyRing) -> Result<TokenString, Error> {
    let place = TokenOrdinals { node: NodeOrdinal::new(0), attempt: AttemptOrdinal::new(0) };
    Ok(forms(payload, place, keys).await?.0)
}

/// Its short form, where it has one.
pub(crate) async fn short_of(
    payload: &Payload,
    place: TokenOrdinals,
    keys: &dyn KeyRing,
) -> Result<Option<ShortToken>, Error> {
    Ok(forms(payload, place, keys).await?.1)
}

async fn forms(
    payload: &Payload,
    place: TokenOrdinals,
    keys: &dyn KeyRing,
) -> Result<(TokenString, Option<ShortToken>), Error> {
    let minted = mint_forms(&[(*payload, place)], keys).await?.pop();
    Ok(minted.expect("one token for one payload"))
}

/// The result of a future of an adapter in memory, which never waits.
pub(crate) fn ready<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("an adapter in memory does not wait"),
    }
}
