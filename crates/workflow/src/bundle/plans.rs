//! Whether the control records of a session attest exactly its events, plan by plan.

use std::collections::BTreeSet;

use piton_core::{Digest, EventIndex, FileBytes, ManifestIndex, canonical};
use piton_store::bounds::{PLAN_BYTES_MAX, PLAN_EVENTS_MAX};
use piton_store::record::{Record, SegmentClosed, SnapshotPinned, VERSION, segment_path};
use piton_store::{Event as _, StreamId};

use super::content::SessionContent;
use super::error::{BundleError, IntegrityProblem, ManifestProblem};
use crate::event::SessionEvent;

/// The last event of each plan.
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
    plans.all_pinned()?;
    match content.events.get(plans.next) {
        None => Ok(()),
        Some(event) => Err(plans.wrong(ManifestProblem::Unattested { next: event.index() })),
    }
}

struct PlanGroups<'a> {
    events: &'a [SessionEvent],
    stream: StreamId,
    /// The place of the record that is looked at.
    index: ManifestIndex,
    /// How many events are attested.
    next: usize,
    /// Events of the newest plan whose snapshot is still to be pinned.
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
        self.all_pinned()?;
        let (first, last) = (close.first_event_index, close.last_event_index);
        if first.get() != self.next as u64 || last < first {
            return Err(self.wrong(ManifestProblem::Gap));
        }
        let end = usize::try_from(last.get()).unwrap_or(usize::MAX).saturating_add(1);
        let Some(plan) = self.events.get(self.next..end) else {
            return Err(self.wrong(ManifestProblem::BeyondEvents));
        };
        if close.segment_rel_path != segment_path(first, last) {
            return Err(self.wrong(ManifestProblem::Path));
        }
        let mut lines = Vec::new();
        for event in plan {
            canonical::encode_into(event, &mut lines)?;
            lines.push(b'\n');
        }
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
        let attested = &self.events[..self.next];
        let known = attested.get(place).is_some_and(|event| {
            event.introduces() == Some(pin.snapshot_ref) && event.id() == pin.created_by_event_id
        });
        if !known {
            return Err(self.wrong(ManifestProblem::StrayPin));
        }
        self.unpinned.remove(&pin.event_index);
        Ok(())
    }
}
