//! Export: makes a bundle of a whole session.

use piton_core::{BundleId, SessionId};
use piton_store::StreamId;
use piton_store::record::Record;

use super::error::TransferError;
use super::gather::gather;
use super::ports::TransferPorts;
use crate::bundle::{Bundle, BundleOrigin, Producer, SessionContent};

/// Makes a bundle of `session`. The same session gives the same bundle, apart from its id and time.
///
/// Nothing is locked: events that are appended meanwhile are not in the bundle.
pub async fn export(
    ports: TransferPorts<'_>,
    session: SessionId,
    producer: Producer,
) -> Result<Bundle, TransferError> {
    let stream = StreamId::from(session);
    let loaded = ports.journal.load(&stream).await?;
    if loaded.events.is_empty() {
        // The stream holds nothing but a first write that never ended.
        return Err(piton_store::Error::NotFound { stream }.into());
    }
    let mut manifest = ports.journal.records(&stream).await?;
    // The manifest was read after the events and may cover newer ones. Cut it back to what the bundle holds.
    let next = loaded.cursor.next_event();
    let is_later = |record: &Record| match record {
        Record::SegmentClosed(close) => close.first_event_index >= next,
        Record::SnapshotPinned(pin) => pin.event_index >= next,
    };
    if let Some(first) = manifest.iter().position(is_later) {
        manifest.truncate(first);
    }
    let gathered = gather(ports.blobs, session, &loaded.events).await;
    // A bundle is complete or not made at all. Salvage is the way to save a part.
    if let Some((_, error)) = gathered.unreadable.into_iter().next() {
        return Err(error);
    }
    let content = SessionContent {
        session,
        events: loaded.events,
        manifest,
        snapshots: gathered.snapshots,
        pinned_workflows: gathered.pinned_workflows,
        artifacts: gathered.artifacts,
    };
    Ok(Bundle::new(origin(ports, producer), content)?)
}

/// Describes the origin of a bundle that is made now.
pub(super) fn origin(ports: TransferPorts<'_>, producer: Producer) -> BundleOrigin {
    let (bundle_id, exported_at) = (BundleId::mint(ports.entropy), ports.clock.now_ms());
    BundleOrigin { bundle_id, exported_at, producer }
}
