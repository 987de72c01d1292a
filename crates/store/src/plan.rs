//! The unit of change: a plan, and its encoded form.
//!
//! Everything here is pure. Adapters write the encoded form, so that no adapter depends on how events are encoded, and
//! encoding happens before any lock is requested.

use std::sync::Arc;

use piton_core::{
    CanonicalBytes, DedupeKey, Digest, EventId, EventIndex, FileBytes, SnapshotRef, canonical,
};

use crate::bounds::{BLOB_BYTES_MAX, PLAN_BLOBS_MAX, PLAN_BYTES_MAX, PLAN_EVENTS_MAX, check_size};
use crate::port::BlobNamespace;
use crate::{Error, Event, PlanProblem, StreamId};

/// Content that is stored together with a plan.
#[derive(Debug, Clone)]
pub struct NewBlob {
    namespace: BlobNamespace,
    digest: Digest,
    bytes: Vec<u8>,
}

impl NewBlob {
    /// Creates a blob from content of any kind; its digest covers the bytes as they are.
    pub fn new(namespace: BlobNamespace, bytes: Vec<u8>) -> Self {
        Self { namespace, digest: Digest::of(&FileBytes(&bytes)), bytes }
    }

    /// Creates a blob from a value in its canonical form.
    pub fn canonical(namespace: BlobNamespace, bytes: CanonicalBytes) -> Self {
        Self { namespace, digest: Digest::of(&bytes), bytes: bytes.into_vec() }
    }

    /// Returns the namespace in which the blob is stored.
    pub fn namespace(&self) -> BlobNamespace {
        self.namespace
    }

    /// Returns the digest under which the blob is stored.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Events that become part of a stream together, with the blobs they refer to.
#[derive(Debug)]
pub struct AppendPlan<E> {
    events: Arc<[E]>,
    blobs: Vec<NewBlob>,
}

impl<E: Event> AppendPlan<E> {
    /// Creates a plan of these events, in order.
    pub fn new(events: impl Into<Arc<[E]>>) -> Self {
        Self { events: events.into(), blobs: Vec::new() }
    }

    /// Adds content that must exist once the events do.
    #[must_use]
    pub fn with_blob(mut self, blob: NewBlob) -> Self {
        self.blobs.push(blob);
        self
    }

    /// Returns the events.
    pub fn events(&self) -> &[E] {
        &self.events
    }

    /// Checks what can be checked without the stream, and encodes the events.
    pub(crate) fn encode(self, stream: &StreamId) -> Result<EncodedPlan, Error> {
        let refuse = |problem| Error::PlanRefused { stream: stream.clone(), problem };
        let too_large = |bytes| {
            refuse(PlanProblem::TooLarge {
                events: self.events.len(),
                blobs: self.blobs.len(),
                bytes,
            })
        };
        let Some(first) = self.events.first().map(Event::index) else {
            return Err(refuse(PlanProblem::Empty));
        };
        if self.events.len() > PLAN_EVENTS_MAX || self.blobs.len() > PLAN_BLOBS_MAX {
            return Err(too_large(0));
        }
        for blob in &self.blobs {
            check_size("a blob", blob.bytes.len(), BLOB_BYTES_MAX)?;
        }
        let mut plan = EncodedPlan {
            first,
            facts: Vec::with_capacity(self.events.len()),
            lines: Vec::with_capacity(self.events.len() * 512),
            blobs: Vec::new(),
        };
        let mut expected = first;
        for event in &*self.events {
            let index = event.index();
            if !event.belongs_to(stream) {
                return Err(refuse(PlanProblem::ForeignEvent { index }));
            }
            if index != expected {
                return Err(refuse(PlanProblem::IndexOutOfOrder { expected, found: index }));
            }
            canonical::encode_into(event, &mut plan.lines).map_err(|problem| {
                refuse(PlanProblem::NotCanonical { index, reason: problem.to_string() })
            })?;
            plan.lines.push(b'\n');
            // Checked after every event, so that a plan far beyond the limit is not encoded to its end.
            if plan.lines.len() > PLAN_BYTES_MAX {
                return Err(too_large(plan.lines.len()));
            }
            plan.facts.push(Fact::of(event));
            expected = expected.next();
        }
        if let Some(index) = repeated(&plan.facts) {
            return Err(refuse(PlanProblem::Repeated { index }));
        }
        plan.blobs = self.blobs;
        // The same content may have been added twice; it is stored once.
        plan.blobs.sort_by_key(|blob| (blob.namespace, blob.digest));
        plan.blobs.dedup_by_key(|blob| (blob.namespace, blob.digest));
        Ok(plan)
    }
}

/// Returns the first event that repeats the key, or else the id, of an event before it.
fn repeated(facts: &[Fact]) -> Option<EventIndex> {
    let mut by_key: Vec<&Fact> = facts.iter().collect();
    by_key.sort_unstable_by(|left, right| (&left.key, left.index).cmp(&(&right.key, right.index)));
    let mut by_id: Vec<(EventId, EventIndex)> =
        facts.iter().map(|fact| (fact.id, fact.index)).collect();
    by_id.sort_unstable();
    let keys = by_key.windows(2).filter(|pair| pair[0].key == pair[1].key);
    let ids = by_id.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    keys.map(|pair| pair[1].index).min().or_else(|| ids.map(|pair| pair[1].1).min())
}

/// The parts of an event that adapters keep.
#[derive(Debug, Clone)]
pub(crate) struct Fact {
    pub(crate) index: EventIndex,
    pub(crate) id: EventId,
    pub(crate) key: DedupeKey,
    pub(crate) introduces: Option<SnapshotRef>,
}

impl Fact {
    pub(crate) fn of<E: Event>(event: &E) -> Self {
        Self {
            index: event.index(),
            id: event.id(),
            key: event.dedupe_key().clone(),
            introduces: event.introduces(),
        }
    }
}

/// A plan, ready to be written.
#[derive(Debug)]
pub(crate) struct EncodedPlan {
    pub(crate) first: EventIndex,
    pub(crate) facts: Vec<Fact>,
    /// The events, one canonical line each.
    pub(crate) lines: Vec<u8>,
    /// In order of namespace and digest, each once.
    pub(crate) blobs: Vec<NewBlob>,
}

/// Relation of a plan to a stream.
pub(crate) enum PlanStatus {
    /// None of its events is in the stream.
    New,
    /// All of its events are in the stream, at these indices.
    Present(Vec<EventIndex>),
}

impl EncodedPlan {
    pub(crate) fn last(&self) -> EventIndex {
        self.facts.last().map_or(self.first, |fact| fact.index)
    }

    /// Decides whether the plan is new, given the position of each dedupe key in the stream.
    pub(crate) fn status(
        &self,
        stream: &StreamId,
        next: EventIndex,
        find: impl Fn(&DedupeKey) -> Option<EventIndex>,
    ) -> Result<PlanStatus, Error> {
        let refuse = |problem| Error::PlanRefused { stream: stream.clone(), problem };
        let present: Vec<EventIndex> =
            self.facts.iter().filter_map(|fact| find(&fact.key)).collect();
        // A repetition is recognised by its keys alone, whatever indices it asks for now.
        if present.len() == self.facts.len() {
            return Ok(PlanStatus::Present(present));
        }
        // A plan is atomic, so a part of it cannot have been committed: the keys belong to another plan.
        if !present.is_empty() {
            return Err(refuse(PlanProblem::PartlyPresent {
                present: present.len(),
                events: self.facts.len(),
            }));
        }
        if self.first != next {
            return Err(refuse(PlanProblem::IndexOutOfOrder { expected: next, found: self.first }));
        }
        Ok(PlanStatus::New)
    }

    /// Returns the snapshots that the plan pins but does not bring along.
    pub(crate) fn snapshots_elsewhere(&self) -> Vec<SnapshotRef> {
        let mut refs: Vec<SnapshotRef> = self
            .facts
            .iter()
            .filter_map(|fact| fact.introduces)
            .filter(|snapshot| {
                !self.blobs.iter().any(|blob| {
                    blob.namespace == BlobNamespace::Snapshots && blob.digest == snapshot.digest()
                })
            })
            .collect();
        refs.sort_unstable();
        refs.dedup();
        refs
    }
}
