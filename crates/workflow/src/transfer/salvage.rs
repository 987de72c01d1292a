//! Salvage: saves the valid part of a damaged session for inspection.

use piton_core::SessionId;
use piton_store::StreamId;

use super::error::TransferError;
use super::export::origin;
use super::gather::gather;
use super::ports::TransferPorts;
use crate::bundle::{InspectionBundle, Producer, Salvage, SalvagedContent};

/// Saves the events of `session` up to the first thing in it that is not valid, with all readable content that they
/// refer to. Nothing is changed, and the result cannot be imported.
pub async fn salvage(
    ports: TransferPorts<'_>,
    session: SessionId,
    producer: Producer,
) -> Result<InspectionBundle, TransferError> {
    let stream = StreamId::from(session);
    let salvaged = ports.journal.load_validated_prefix(&stream).await?;
    let gathered = gather(ports.blobs, session, &salvaged.events).await;
    let salvage = Salvage {
        reason: salvaged.health.to_string(),
        health: salvaged.health,
        events_valid: salvaged.events.len() as u64,
        torn_tail: salvaged.torn_tail,
        unreadable: gathered.unreadable.into_iter().map(|(path, _)| path).collect(),
    };
    let content = SalvagedContent {
        session,
        events: salvaged.events,
        snapshots: gathered.snapshots,
        pinned_workflows: gathered.pinned_workflows,
        artifacts: gathered.artifacts,
    };
    Ok(InspectionBundle { origin: origin(ports, producer), salvage, content })
}
