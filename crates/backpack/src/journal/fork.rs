//! Forking a backpack into a new one with a journal.
//!
//! *Invariants*: carrying a state over may need several plans. The event that names the origin is the last one, so that
//! a fork that was cut off is recognized and never taken for a backpack with fewer items.

use std::sync::Arc;

use piton_core::{EventId, EventIndex};
use piton_store::bounds::PLAN_BLOBS_MAX;
use piton_store::port::{BlobNamespace, Patience};
use piton_store::{AppendPlan, NewBlob};

use super::backpack::{JournalPorts, JournaledBackpack, Mode, Opened, opened};
use super::event::{BackpackEvent, BackpackEventBody, Holder};
use crate::backpack::Backpack;
use crate::backpack_core::{BackpackCore, LargeValueSlot};
use crate::bounds::{PLAN_BYTES, RECORD_BYTES};
use crate::error::Error;
use crate::names::{BackpackId, BackpackOrigin};
use crate::record::{ItemRecord, QuarantinedRecord, item_bytes, quarantined_bytes};
use crate::state::item::Item;

/// A part of the state that is carried over, with its weight in a plan and its value if that goes into a blob.
struct ForkPiece {
    body: BackpackEventBody,
    bytes: usize,
    large: Option<Arc<str>>,
}

impl JournaledBackpack {
    /// Creates a backpack with a journal that continues from the present state of another one.
    ///
    /// The origin of an unchanged snapshot is the commit that it was taken at.
    pub async fn fork_from(
        source: &Backpack,
        id: &BackpackId,
        holder: Holder,
        mode: Mode,
        ports: JournalPorts,
    ) -> Result<Opened, Error> {
        let lease = ports.lease(id, Patience::FailFast).await?;
        // Checked under the lease, so that nobody can create the stream in between.
        if lease.next_event().get() > 0 {
            return Err(Error::Exists { id: id.clone() });
        }
        let (origin, start, pieces) = fork_pieces(source)?;
        let first = opened(id, &lease, holder.clone(), &ports.ports);
        let mint = || EventId::mint(&*ports.ports.entropy);
        // In order, and each one durable before the next: the last of them makes the fork valid.
        for plan in plans(id, first, pieces, &mint) {
            ports.journal.append(&lease.writer(), plan).await?;
        }
        let named = (id.clone(), Some(origin));
        let backpack = Backpack::begin(named, start, *source.options(), ports.ports.clone());
        Ok(Self::begin(backpack, lease, (mode, holder), ports))
    }
}

/// Returns the origin and the initial state of a fork, and the events that describe them in its stream.
fn fork_pieces(source: &Backpack) -> Result<(BackpackOrigin, BackpackCore, Vec<ForkPiece>), Error> {
    let core = source.inner.lock();
    let newest = core.history.newest().map(|commit| commit.id);
    let origin = match source.origin() {
        Some(origin) if newest.is_none() => origin.clone(),
        _ => BackpackOrigin { backpack: source.id().clone(), commit: newest },
    };
    let mut pieces = Vec::new();
    for item in core.state.items.values() {
        let large = large_value(&core, item, &LargeValueSlot::Active(item.key.clone()))?;
        let body = BackpackEventBody::Carried { item: ItemRecord::of(item) };
        pieces.push(ForkPiece { body, bytes: item_bytes(item), large });
    }
    for entry in &core.state.quarantine {
        let body = BackpackEventBody::SetAside { entry: QuarantinedRecord::of(entry) };
        let item = entry.item.as_ref();
        let large =
            item.map(|item| large_value(&core, item, &LargeValueSlot::Quarantined(entry.commit)));
        let bytes = quarantined_bytes(entry);
        pieces.push(ForkPiece { body, bytes, large: large.transpose()?.flatten() });
    }
    // Last on purpose: only its presence tells that everything before it is complete.
    pieces.push(ForkPiece {
        body: BackpackEventBody::Began { origin: origin.clone() },
        bytes: RECORD_BYTES,
        large: None,
    });
    let (large, permissions) = (core.large.clone(), core.permissions.clone());
    let start = BackpackCore { large, permissions, ..BackpackCore::new(core.state.clone()) };
    Ok((origin, start, pieces))
}

/// Returns the value that has to go into a blob. A value that is already damaged stays damaged in the fork.
fn large_value(
    core: &BackpackCore,
    item: &Item,
    slot: &LargeValueSlot,
) -> Result<Option<Arc<str>>, Error> {
    if item.is_available() {
        return Ok(None);
    }
    match core.large.get(slot) {
        Some(value) => Ok(value.value().cloned()),
        None => Err(Error::Unavailable { key: item.key.clone(), size: item.size() }),
    }
}

/// Packs the pieces into as few plans as possible, after the first event.
fn plans(
    id: &BackpackId,
    first: BackpackEvent,
    pieces: Vec<ForkPiece>,
    mint: &dyn Fn() -> EventId,
) -> Vec<AppendPlan<BackpackEvent>> {
    let mut index = EventIndex::ZERO.next();
    let (mut plans, mut events, mut blobs, mut bytes) = (Vec::new(), vec![first], Vec::new(), 0);
    let finish = |events: &mut Vec<BackpackEvent>, blobs: &mut Vec<Arc<str>>| {
        let plan = AppendPlan::new(std::mem::take(events));
        std::mem::take(blobs).into_iter().fold(plan, |plan, text| {
            plan.with_blob(NewBlob::new(BlobNamespace::Backpacks, text.as_bytes().to_vec()))
        })
    };
    for piece in pieces {
        // Every piece weighs at least 1 KiB, so the byte limit also bounds the number of events.
        if bytes >= PLAN_BYTES || blobs.len() >= PLAN_BLOBS_MAX {
            plans.push(finish(&mut events, &mut blobs));
            bytes = 0;
        }
        bytes += piece.bytes;
        blobs.extend(piece.large);
        events.push(BackpackEvent::new(id, index, mint(), piece.body));
        index = index.next();
    }
    plans.push(finish(&mut events, &mut blobs));
    plans
}
