//! The text of a segmented journal's control stream: writing and reading records, and finding the end of a reading.
//!
//! One record is one line of canonical JSON. A plan writes one *group*: the line that closes its segment, then a line
//! for each snapshot that its events introduce. A group goes out in one write. Everything here is pure; the byte-level
//! description is `docs/format/journal.md`.
//!
//! Invariants:
//! - No line of a group but the last ends on a multiple of [`SECTOR_BYTES`] in the file. A write that was torn between
//!   sectors therefore always ends inside a line, and cannot pass for a segment whose pins are missing.
//! - A line is accepted only if it is, byte for byte, what this module would have written.

use std::collections::HashMap;

use piton_core::{Digest, EventIndex, ManifestIndex, canonical};

use super::event_line::{LineError, version_flaw};
use crate::bounds::{RECORD_CHANGED_BYTES_MAX, SECTOR_BYTES};
use crate::record::{Record, SegmentClosed, SnapshotPinned, VERSION, segment_path};
use crate::{Reason, StreamId};

/// Text by which a closed segment is recognised in damaged text.
const CLOSE_MARK: &[u8] = br#""kind":"segment_closed""#;

/// Renders a group that will stand at `offset` in the file.
pub(super) fn render(records: &[Record], offset: u64) -> Vec<u8> {
    let mut text = Vec::with_capacity(records.len() * 320);
    for (position, record) in records.iter().enumerate() {
        canonical::encode_into(record, &mut text)
            .expect("a record holds checked integers, names and digests only");
        let end = offset + text.len() as u64 + 1;
        // A space moves the end of the line off the sector boundary. The last line may end there: then the group is
        // complete.
        if position + 1 < records.len() && end.is_multiple_of(SECTOR_BYTES) {
            text.push(b' ');
        }
        text.push(b'\n');
    }
    text
}

/// The records of one plan, as they stand in the file.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) close: SegmentClosed,
    pub(super) pins: Vec<SnapshotPinned>,
    /// Offset at which the first line begins.
    pub(super) start: u64,
    /// Offset at which the last line ends.
    pub(super) end: u64,
}

impl Group {
    /// Returns the index of the group's last record in the control stream.
    pub(super) fn last_manifest_index(&self) -> ManifestIndex {
        self.pins.last().map_or(self.close.manifest_index, |pin| pin.manifest_index)
    }

    /// Returns the group's records, in order.
    pub(super) fn into_records(self) -> impl Iterator<Item = Record> {
        let pins = self.pins.into_iter().map(Record::SnapshotPinned);
        std::iter::once(Record::SegmentClosed(self.close)).chain(pins)
    }
}

/// The place at which a reading had to stop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop {
    /// Offset at which the line begins.
    pub(super) offset: u64,
    pub(super) flaw: LineError,
}

/// A reading of the control stream, or of its end.
#[derive(Debug, Default)]
pub(super) struct ManifestReading {
    pub(super) groups: Vec<Group>,
    pub(super) stop: Option<Stop>,
}

/// Reads records from `text`, which stands at `offset` in the file, up to the first flaw.
pub(super) fn read(
    text: &[u8],
    offset: u64,
    stream: &StreamId,
    mut manifest_index: ManifestIndex,
    mut event_index: EventIndex,
) -> ManifestReading {
    let mut reading = ManifestReading::default();
    let mut scratch = Vec::new();
    let mut at = 0;
    while at < text.len() {
        // Nothing behind the first flaw is read: where one line is wrong, the indices of all later ones are in doubt.
        let stop = |flaw| Some(Stop { offset: offset + at as u64, flaw });
        let Some(length) = text[at..].iter().position(|&byte| byte == b'\n') else {
            reading.stop = stop(LineError::Corrupt(Reason::ManifestUnreadable));
            break;
        };
        let line = &text[at..at + length];
        let (start, end) = (offset + at as u64, offset + (at + length + 1) as u64);
        let accepted = parse(line, &mut scratch).and_then(|record| {
            accept(
                record,
                stream,
                manifest_index,
                &mut event_index,
                &mut reading.groups,
                start,
                end,
            )
        });
        if let Err(flaw) = accepted {
            reading.stop = stop(flaw);
            break;
        }
        manifest_index = manifest_index.next();
        at += length + 1;
    }
    reading
}

/// Checks that a record continues the stream, and adds it to its group.
fn accept(
    record: Record,
    stream: &StreamId,
    manifest_index: ManifestIndex,
    event_index: &mut EventIndex,
    groups: &mut Vec<Group>,
    start: u64,
    end: u64,
) -> Result<(), LineError> {
    let (found_index, found_stream) = match &record {
        Record::SegmentClosed(close) => (close.manifest_index, &close.session_id),
        Record::SnapshotPinned(pin) => (pin.manifest_index, &pin.session_id),
    };
    if found_stream != stream {
        return Err(LineError::Corrupt(Reason::ForeignStream));
    }
    if found_index != manifest_index {
        return Err(LineError::Corrupt(Reason::ManifestOutOfOrder));
    }
    match record {
        Record::SegmentClosed(close) => {
            let (first, last) = (close.first_event_index, close.last_event_index);
            // Segments follow each other without a gap. An empty one cannot exist, because a plan has at least one
            // event.
            if first != *event_index || last < first {
                return Err(LineError::Corrupt(Reason::SegmentGap));
            }
            // The path follows from the bounds, so a record cannot lead to any other file.
            if close.segment_rel_path != segment_path(first, last) {
                return Err(LineError::Corrupt(Reason::SegmentPathInvalid));
            }
            *event_index = last.next();
            groups.push(Group { close, pins: Vec::new(), start, end });
        }
        Record::SnapshotPinned(pin) => {
            // A reading that begins in the middle of the file begins at a group, so a pin never comes first.
            let group = groups.last_mut().ok_or(LineError::Corrupt(Reason::StrayPin))?;
            group.pins.push(pin);
            group.end = end;
        }
    }
    Ok(())
}

fn parse(line: &[u8], scratch: &mut Vec<u8>) -> Result<Record, LineError> {
    // At most one space, as `render` writes it. Whether it was needed there is not checked.
    let body = line.strip_suffix(b" ").unwrap_or(line);
    // A line of another version may have fields that this version does not know, so its version is read separately.
    let Ok(record) = serde_json::from_slice::<Record>(body) else {
        return Err(
            version_flaw(body, VERSION).unwrap_or(LineError::Corrupt(Reason::ManifestUnreadable))
        );
    };
    let version = match &record {
        Record::SegmentClosed(close) => close.v,
        Record::SnapshotPinned(pin) => pin.v,
    };
    if version != VERSION {
        return Err(LineError::UnknownVersion(version.into()));
    }
    // Encoded again and compared: a change that still parses, such as a space or another order of fields, is damage.
    scratch.clear();
    match canonical::encode_into(&record, scratch) {
        Ok(()) if scratch == body => Ok(record),
        _ => Err(LineError::Corrupt(Reason::ManifestUnreadable)),
    }
}

/// The rest of a damaged control stream, as evidence about the segments that it attested.
pub(super) struct Remains<'a> {
    /// Digests that readable records attest, by the bounds of their segments.
    attested: HashMap<(EventIndex, EventIndex), Vec<Digest>>,
    /// Lines that are no record of this stream, although some may have been one.
    doubtful: Vec<&'a [u8]>,
}

impl<'a> Remains<'a> {
    /// Looks through `text`. Fails with a version if a newer program wrote any of its lines.
    pub(super) fn of(text: &'a [u8], stream: &StreamId) -> Result<Self, u64> {
        let mut remains = Self { attested: HashMap::new(), doubtful: Vec::new() };
        let mut scratch = Vec::new();
        // Unlike `read`, this continues behind a flaw: here lines are only evidence, and each stands for itself.
        for line in text.split(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b" ").unwrap_or(line);
            match parse(line, &mut scratch) {
                Err(LineError::UnknownVersion(version)) => return Err(version),
                Ok(Record::SegmentClosed(close)) if is_consistent(&close, stream) => {
                    let bounds = (close.first_event_index, close.last_event_index);
                    remains.attested.entry(bounds).or_default().push(close.sha256);
                }
                Ok(Record::SnapshotPinned(_)) => {}
                Ok(Record::SegmentClosed(_)) | Err(LineError::Corrupt(_)) => {
                    remains.doubtful.push(line);
                }
            }
        }
        Ok(remains)
    }

    /// Returns true if the segment that `close` describes is the one that was attested, false if another one was, and
    /// `None` if no record of it is left.
    ///
    /// A few changed bytes do not matter: if most of the 64 characters of the digest are the same, so is the segment,
    /// because a changed segment has an entirely different digest.
    pub(super) fn attest(&self, close: &SegmentClosed) -> Option<bool> {
        let is_same = |found: &[u8], own: &[u8]| changed(found, own) <= RECORD_CHANGED_BYTES_MAX;
        let own = close.sha256.to_string();
        let bounds = (close.first_event_index, close.last_event_index);
        if let Some(digests) = self.attested.get(&bounds) {
            let mut found = digests.iter().map(Digest::to_string);
            return Some(found.any(|found| is_same(found.as_bytes(), own.as_bytes())));
        }
        // A plan that failed may have had other bounds than the plans that took its place.
        let overlaps =
            |other: &&(EventIndex, EventIndex)| other.0 <= bounds.1 && bounds.0 <= other.1;
        if self.attested.keys().any(|other| overlaps(&other)) {
            return Some(false);
        }
        // No readable record covers these events. A damaged line may still be recognisable as the one that this segment
        // would have had.
        let line = render(&[Record::SegmentClosed(close.clone())], 0);
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        let at = line.windows(own.len()).position(|window| window == own.as_bytes())?;
        let (before, digest, behind) = (0..at, at..at + own.len(), at + own.len()..line.len());
        // What surrounds the digest says which segment the line is about; the digest says whether the segment is the
        // same.
        let of_segment = self.doubtful.iter().filter(|found| {
            found.len() == line.len()
                && is_same(&found[before.clone()], &line[before.clone()])
                && is_same(&found[behind.clone()], &line[behind.clone()])
        });
        // One matching line is enough: `true` is the largest.
        of_segment.map(|found| is_same(&found[digest.clone()], &line[digest.clone()])).max()
    }
}

/// True if a readable record belongs to `stream` and names its segment as it would be written.
fn is_consistent(close: &SegmentClosed, stream: &StreamId) -> bool {
    let path = segment_path(close.first_event_index, close.last_event_index);
    close.session_id == *stream && close.segment_rel_path == path
}

/// Returns the number of bytes in which two texts of the same length differ.
fn changed(found: &[u8], written: &[u8]) -> usize {
    found.iter().zip(written).filter(|(found, written)| found != written).count()
}

/// True if `text`, from the start of the first doubtful group to the end of the file, can be the newest group: only
/// then may it be unfinished. No line of a group but the first closes a segment.
pub(super) fn is_newest(text: &[u8]) -> bool {
    let marks =
        |text: &[u8]| text.windows(CLOSE_MARK.len()).filter(|window| *window == CLOSE_MARK).count();
    let first_line = text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
    marks(&text[..first_line]) <= 1 && marks(&text[first_line..]) == 0
}
