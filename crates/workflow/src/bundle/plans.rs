//! Checks that the control records of a session attest exactly its events, plan by plan.

use std::collections::BTreeSet;

use piton_core::{Digest, EventIndex, FileBytes, ManifestIndex, canonical};
use piton_store::bounds::{PLAN_BYTES_MAX, PLAN_EVENTS_MAX};
use piton_store::record::{Record, SegmentClosed, SnapshotPinned, VERSION, segment_path};
use piton_store::{Event as _, StreamId};

use super::content::SessionContent;
use super::error::{BundleError, IntegrityProblem, ManifestProblem};
use crate::event::SessionEvent;

/// Returns the index of the last event of each plan.
pub(super) fn ends(manifest: &[Record]) -> impl Iterator<Item = EventIndex> {
    manifest.iter().filter_map(|record| match record {
        Record::SegmentClosed(close) => Some(close.last_event_index),
        Record::SnapshotPinned(_) => None,
    })
}

/// Checks the control records against the events.
pub(super) fn check(content: &SessionContent) -> Result<(), BundleError> {
    let mut plans = PlanGroups {
        events: &content.events,
        stream: StreamId::from(content.session),
        index: ManifestIndex::ZERO,
        next: 0,
        unpinned: BTreeSet::new(),
    };
    for record in &content.manifest {
        plans.take(record)?;
        plans.index = plans.index.next();
    }
    // The last plan has no successor whose `close` would notice a missing pin.
    plans.all_pinned()?;
    match content.events.get(plans.next) {
        None => Ok(()),
        Some(event) => Err(plans.wrong(ManifestProblem::Unattested { next: event.index() })),
    }
}

struct PlanGroups<'a> {
    events: &'a [SessionEvent],
    stream: StreamId,
    /// Position of the record that is being checked.
    index: ManifestIndex,
    /// Number of events that are attested so far.
    next: usize,
    /// Events of the newest plan that introduce a snapshot which is not pinned yet.
    unpinned: BTreeSet<EventIndex>,
}

impl PlanGroups<'_> {
    fn wrong(&self, problem: ManifestProblem) -> BundleError {
        BundleError::ManifestOrder { index: self.index, problem }
    }

    fn all_pinned(&self) -> Result<(), BundleError> {
        if self.unpinned.is_empty() { Ok(()) } else { Err(self.wrong(ManifestProblem::MissingPin)) }
    }

    fn take(&mut self, record: &Record) -> Result<(), BundleError> {
        let (version, index, stream) = match record {
            Record::SegmentClosed(close) => (close.v, close.manifest_index, &close.session_id),
            Record::SnapshotPinned(pin) => (pin.v, pin.manifest_index, &pin.session_id),
        };
        // In another version the other fields may mean something else, so this check is the first.
        if version != VERSION {
            let found = version.to_string();
            return Err(BundleError::UnsupportedVersion { what: "a control record", found });
        }
        if index != self.index {
            return Err(self.wrong(ManifestProblem::OutOfOrder));
        }
        if *stream != self.stream {
            return Err(self.wrong(ManifestProblem::OtherSession));
        }
        match record {
            Record::SegmentClosed(close) => self.close(close),
            Record::SnapshotPinned(pin) => self.pin(pin),
        }
    }

    fn close(&mut self, close: &SegmentClosed) -> Result<(), BundleError> {
        // The pins of a plan follow it directly, so none may be missing once the next plan begins.
        self.all_pinned()?;
        let (first, last) = (close.first_event_index, close.last_event_index);
        // Plans are contiguous: each begins at the first event that is not attested yet.
        if first.get() != self.next as u64 || last < first {
            return Err(self.wrong(ManifestProblem::Gap));
        }
        // The numbers come from outside, so the conversion saturates; an end that is too large is simply not
        // there.
        let end = usize::try_from(last.get()).unwrap_or(usize::MAX).saturating_add(1);
        let Some(plan) = self.events.get(self.next..end) else {
            return Err(self.wrong(ManifestProblem::BeyondEvents));
        };
        // The path follows from the bounds, so a record with another one was not written by the store.
        if close.segment_rel_path != segment_path(first, last) {
            return Err(self.wrong(ManifestProblem::Path));
        }
        // Rebuild the segment exactly as the store writes it: one canonical line per event.
        let mut lines = Vec::new();
        for event in plan {
            canonical::encode_into(event, &mut lines)?;
            lines.push(b'\n');
        }
        // The store does not append such a plan, so it could not be imported either.
        if plan.len() > PLAN_EVENTS_MAX || lines.len() > PLAN_BYTES_MAX {
            return Err(self.wrong(ManifestProblem::PlanTooLarge));
        }
        if close.bytes != lines.len() as u64 || close.sha256 != Digest::of(&FileBytes(&lines)) {
            return Err(IntegrityProblem::SegmentChanged { first }.into());
        }
        self.next = end;
        let introducing = plan.iter().filter(|event| event.introduces().is_some());
        self.unpinned = introducing.map(SessionEvent::index).collect();
        Ok(())
    }

    fn pin(&mut self, pin: &SnapshotPinned) -> Result<(), BundleError> {
        let place = usize::try_from(pin.event_index.get()).unwrap_or(usize::MAX);
        // Only events that are already attested may be pinned; a pin never precedes its plan.
        let attested = &self.events[..self.next];
        // A pin repeats the snapshot and the id of its event. Both have to agree with the log.
        let known = attested.get(place).is_some_and(|event| {
            event.introduces() == Some(pin.snapshot_ref) && event.id() == pin.created_by_event_id
        });
        if !known {
            return Err(self.wrong(ManifestProblem::StrayPin));
        }
        // An event of an earlier plan may be pinned again; then there is nothing to remove.
        self.unpinned.remove(&pin.event_index);
        Ok(())
    }
}
