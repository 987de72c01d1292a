//! Restores the manifest of a damaged session from its segments.
//!
//! A group of control records follows from the segment that it attests. So records that are damaged or gone are written
//! again as long as the segments are intact, each behind the one before it.

use std::time::Duration;

use piton_core::{EventIndex, canonical};

use super::event_line::LineError;
use super::layout::Restored;
use super::maintenance;
use super::manifest::{self, Remains};
use super::segmented::{learn, parse_segment, read_unattested, records_of, scan_text, segments};
use super::stream_dir::StreamDir;
use super::tail::{StreamHead, Tail};
use crate::port::BlobNamespace;
use crate::record::{self, Record};
use crate::{Error, Event};

/// Returns the control file `control` with its damaged or missing records rewritten. Nothing on disk is changed.
pub(super) fn restore<E: Event>(stream_dir: &StreamDir, control: &[u8]) -> Result<Restored, Error> {
    let remains = Remains::of(control, &stream_dir.stream).map_err(maintenance::newer)?;
    let segments = segments(stream_dir).map_err(Error::io("list the segments of a stream"))?;
    // The valid part is read again because the dedupe keys of its events are needed as well.
    let mut tail = Tail::default();
    scan_text::<E>(stream_dir, &mut tail, control, &mut |_| {})?;
    let valid = usize::try_from(tail.head.position).unwrap_or(control.len());
    // From the end of the valid part on, each group is rendered from its segment, one after the other, until no
    // segment follows.
    let (mut restored, mut rewritten) = (control[..valid].to_vec(), 0);
    while let Some(group) = next_group::<E>(stream_dir, &mut tail, &segments, &remains)? {
        // A group that is still there byte for byte was not lost; only the others count as rewritten.
        rewritten += u64::from(!control[restored.len().min(control.len())..].starts_with(&group));
        restored.extend(group);
    }
    Ok(Restored { control: restored, head: tail.head, rewritten })
}

/// A segment that could continue a damaged stream, with the evidence for it.
struct Continuation<E> {
    is_attested: bool,
    /// True if another segment begins where this one ends.
    is_followed: bool,
    age: Duration,
    events: Vec<E>,
    group: Vec<u8>,
}

/// Moves the tail over the segment that continues a damaged stream and returns its group, or `None` if no segment does.
///
/// A segment qualifies if its bytes are exactly the events of this stream from the tail's end on, and nothing in
/// `remains` says that another segment stood there. It need not be attested, since its record may be what was lost. If
/// several qualify, all but one belong to plans that failed. The order of preference is: an attested segment, then one
/// that other segments build on, then the newest, because a failed plan came before the plan that took its place.
fn next_group<E: Event>(
    stream_dir: &StreamDir,
    tail: &mut Tail,
    segments: &[(EventIndex, EventIndex)],
    remains: &Remains<'_>,
) -> Result<Option<Vec<u8>>, Error> {
    // Segments are sorted. Several begin at the same event if a plan failed and the next one was longer or shorter.
    let from =
        |index: EventIndex| &segments[segments.partition_point(|(first, _)| *first < index)..];
    let mut found = Vec::new();
    for bounds in
        from(tail.head.next_event).iter().take_while(|(first, _)| *first == tail.head.next_event)
    {
        // A plan is written only once all before it are durable. So a segment that follows shows that this one was
        // committed.
        let next = bounds.1.next();
        let is_followed = from(next).first().is_some_and(|(first, _)| *first == next);
        found.extend(continuation::<E>(stream_dir, tail.head, *bounds, is_followed, remains)?);
    }
    // `false` sorts first: attested, then followed, then the smallest age.
    found.sort_by_key(|it| (!it.is_attested, !it.is_followed, it.age));
    for Continuation { events, group, .. } in found {
        // The rendered group goes through the same reader as any other, so nothing is restored that could not be read
        // back.
        let head = tail.head;
        let read = manifest::read(
            &group,
            head.position,
            &stream_dir.stream,
            head.next_manifest,
            head.next_event,
        );
        let [written] = read.groups.as_slice() else { continue };
        // A segment that repeats a known dedupe key cannot follow; the next candidate may.
        if learn(tail, written, &events).is_ok() {
            return Ok(Some(group));
        }
    }
    Ok(None)
}

fn continuation<E: Event>(
    stream_dir: &StreamDir,
    head: StreamHead,
    bounds: (EventIndex, EventIndex),
    is_followed: bool,
    remains: &Remains<'_>,
) -> Result<Option<Continuation<E>>, Error> {
    let Some(lines) = read_unattested(stream_dir, bounds)? else { return Ok(None) };
    let parsed = parse_segment::<E>(stream_dir, bounds, &lines);
    // The close record needs only the bytes and the bounds, so it exists even if the events do not parse.
    let records =
        records_of(stream_dir, head, bounds, &lines, parsed.as_deref().unwrap_or_default());
    let [Record::SegmentClosed(close), ..] = records.as_slice() else { return Ok(None) };
    let attested = remains.attest(close);
    let events = match parsed {
        // A record that is left names another segment in this place.
        _ if attested == Some(false) => return Ok(None),
        Ok(events) if is_canonical(&events, &lines) => events,
        // Data written by a newer Piton is not moved away.
        Err(LineError::UnknownVersion(version)) => return Err(maintenance::newer(version)),
        Ok(_) | Err(LineError::Corrupt(_)) => return Ok(None),
    };
    let is_attested = attested == Some(true);
    // A plan whose records were never written may lack its snapshots too, and nothing could continue from there.
    if !is_attested && !is_followed && lacks_snapshots(stream_dir, &events)? {
        return Ok(None);
    }
    let stat =
        stream_dir.disk().stat(&stream_dir.dir.join(record::segment_path(bounds.0, bounds.1)));
    let stat = stat.map_err(Error::io("look at a segment"))?;
    let age = stat.map_or(Duration::MAX, |stat| stat.age);
    let group = manifest::render(&records, head.position);
    Ok(Some(Continuation { is_attested, is_followed, age, events, group }))
}

/// True if `lines` is, byte for byte, the encoding of `events`.
fn is_canonical<E: Event>(events: &[E], lines: &[u8]) -> bool {
    let mut written = Vec::with_capacity(lines.len());
    let is_encoded = events.iter().all(|event| {
        let encoded = canonical::encode_into(event, &mut written);
        written.push(b'\n');
        encoded.is_ok()
    });
    is_encoded && written == lines
}

/// True if a snapshot that these events introduce cannot be read.
fn lacks_snapshots<E: Event>(stream_dir: &StreamDir, events: &[E]) -> Result<bool, Error> {
    for snapshot in events.iter().filter_map(Event::introduces) {
        match stream_dir.root.blobs.get_blocking(BlobNamespace::Snapshots, snapshot.digest()) {
            Ok(Some(_)) => {}
            Ok(None) | Err(Error::BlobCorrupt { .. }) => return Ok(true),
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}
