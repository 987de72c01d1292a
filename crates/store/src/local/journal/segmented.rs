//! The segmented layout: a file of events for each plan, and a manifest that attests them.
//!
//! A plan becomes part of the stream in four steps, three of which wait for the disk:
//! 1. the segment and the plan's blobs are written and synced, at the same time;
//! 2. they get their names;
//! 3. their directories are synced, at the same time;
//! 4. the plan's group is written to the manifest in one write, and synced.
//!
//! A segment that no manifest record attests is not part of the stream. One that begins where the manifest ends belongs
//! to a plan that was never committed: a crash or a failure came before step 4. A plan is written only once all plans
//! before it are durable, so a segment that begins *behind* the manifest's end shows that records of acknowledged plans
//! are gone, and that is damage. This check looks only at names, and only when a stream is read from its start.

use std::collections::HashMap;
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use piton_core::{Digest, EventId, EventIndex, FileBytes, SnapshotRef};

use super::event_line::{LineError, read_events};
use super::layout::{Layout, Restored};
use super::manifest::{self, Group};
use super::restore;
use super::stream_dir::{NewFile, StreamDir};
use super::tail::{StreamHead, Tail, TailEnding};
use super::torn_write::is_torn;
use crate::bounds::{PLAN_BYTES_MAX, READ_THREADS_MAX, SEGMENTS_PARALLEL_MIN, SEGMENTS_TOGETHER};
use crate::local::blobs::Staged;
use crate::local::disk::Disk;
use crate::local::file_ops::{free_name, names_in, read_if_fits, unless_gone};
use crate::plan::EncodedPlan;
use crate::port::Cursor;
use crate::record::{self, Record, SEGMENTS};
use crate::{Error, Event, Reason};

/// Path under which a segment is written before it gets its name. There is one writer, so one path is enough.
const TEMPORARY: &str = "events/segment.tmp";

/// Suffix for the name of a segment that was put aside.
const ASIDE: &str = "aside";

/// The layout of sessions.
pub struct Segmented;

/// A plan's events after a check against its records. The outer error is the disk's, the inner one the stream's.
type Checked<E> = Result<Result<Vec<E>, LineError>, Error>;

impl Segmented {
    /// Name of the control file.
    pub(in crate::local) const CONTROL_FILE: &'static str = "manifest.jsonl";
}

impl Layout for Segmented {
    const CONTROL: &'static str = Self::CONTROL_FILE;
    const PLANS_PER_COMMIT: usize = 1;

    fn scan<E: Event>(
        stream_dir: &StreamDir,
        tail: &mut Tail,
        take: &mut dyn FnMut(E),
    ) -> Result<TailEnding, Error> {
        // Names first, manifest second: see `segments_from_start`.
        let segments = segments_from_start(stream_dir, tail.head)?;
        let ending = scan_control(stream_dir, tail, take)?;
        Ok(unless_records_are_gone(&segments, tail.head, ending))
    }

    fn commit(
        stream_dir: &StreamDir,
        head: StreamHead,
        plans: &[Arc<EncodedPlan>],
    ) -> Result<StreamHead, Error> {
        let mut head = head;
        for plan in plans {
            head = commit(stream_dir, head, plan)?;
        }
        Ok(head)
    }

    fn pins<E: Event>(
        stream_dir: &StreamDir,
        since: Option<&Cursor>,
    ) -> Result<(Vec<SnapshotRef>, StreamHead, TailEnding), Error> {
        let mut head = since.map(StreamHead::from_cursor).unwrap_or_default();
        let (groups, ending) = read_groups::<E>(stream_dir, head)?;
        let refs = groups.iter().flat_map(|group| &group.pins);
        let refs = refs.map(|pin| pin.snapshot_ref).collect();
        // The newest group is read again next time, because not all of its pins may have been there.
        if let Some(newest) = groups.last() {
            head.position = newest.start;
            head.next_manifest = newest.close.manifest_index;
            head.next_event = newest.close.first_event_index;
        }
        Ok((refs, head, ending))
    }

    fn records<E: Event>(stream_dir: &StreamDir) -> Result<(Vec<Record>, TailEnding), Error> {
        let (groups, ending) = read_groups::<E>(stream_dir, StreamHead::default())?;
        Ok((groups.into_iter().flat_map(Group::into_records).collect(), ending))
    }

    fn restore<E: Event>(
        stream_dir: &StreamDir,
        _: StreamHead,
        control: &[u8],
    ) -> Result<Restored, Error> {
        restore::restore::<E>(stream_dir, control)
    }

    fn files_behind(stream_dir: &StreamDir, head: StreamHead) -> io::Result<Vec<PathBuf>> {
        let mut behind = segments(stream_dir)?;
        behind.retain(|(first, _)| *first >= head.next_event);
        Ok(behind
            .into_iter()
            .map(|(first, last)| record::segment_path(first, last).into())
            .collect())
    }

    fn shows_lost_plans(stream_dir: &StreamDir) -> io::Result<bool> {
        // A segment at event 0 may belong to a first plan that failed; one further on needs an acknowledged plan before
        // it.
        Ok(segments(stream_dir)?.iter().any(|(first, _)| *first > EventIndex::ZERO))
    }

    fn evict(stream_dir: &StreamDir) -> io::Result<()> {
        let events = stream_dir.dir.join(SEGMENTS);
        for name in names_in(stream_dir.disk().as_ref(), &events)? {
            unless_gone(stream_dir.disk().evict(&events.join(name)))?;
        }
        stream_dir.disk().evict(&stream_dir.control)
    }
}

/// Returns the bounds of every segment, read from the file names, in order.
pub(super) fn segments(stream_dir: &StreamDir) -> io::Result<Vec<(EventIndex, EventIndex)>> {
    let names = names_in(stream_dir.disk().as_ref(), &stream_dir.dir.join(SEGMENTS))?;
    let mut bounds: Vec<_> = names.iter().filter_map(|name| record::segment_bounds(name)).collect();
    bounds.sort_unstable();
    Ok(bounds)
}

/// Returns the segments if a reading begins at the start of the stream, and none otherwise.
///
/// They are listed before the manifest is read. The records of all plans before a segment that exists now are durable
/// already, so a reader can draw conclusions from the list without holding the lock.
fn segments_from_start(
    stream_dir: &StreamDir,
    head: StreamHead,
) -> Result<Vec<(EventIndex, EventIndex)>, Error> {
    if head.position > 0 {
        return Ok(Vec::new());
    }
    segments(stream_dir).map_err(Error::io("list the segments of a stream"))
}

/// Returns the ending of a reading, or the damage behind it that the names of `segments` show.
fn unless_records_are_gone(
    segments: &[(EventIndex, EventIndex)],
    head: StreamHead,
    ending: TailEnding,
) -> TailEnding {
    // A segment right at the end may belong to a plan that never got its records. Only one further on proves a loss.
    let is_behind = |(first, _): &(EventIndex, EventIndex)| *first > head.next_event;
    if matches!(ending, TailEnding::Broken { .. }) || !segments.iter().any(is_behind) {
        return ending;
    }
    // No record at all, not even a torn one: the control file itself is gone or empty.
    let reason = match head.position {
        0 if ending == TailEnding::Clean => Reason::ControlMissing,
        _ => Reason::SegmentUnattested,
    };
    TailEnding::Broken { health: head.health(LineError::Corrupt(reason)), newest: false }
}

/// True if `rest`, which stands behind `head`, can be what a crash left of the group of a plan that was being appended.
/// The plan's segment was durable before the group was written, so it determines what the group would have been.
fn is_unfinished<E: Event>(
    stream_dir: &StreamDir,
    head: StreamHead,
    rest: &[u8],
) -> Result<bool, Error> {
    let groups = groups_at::<E>(stream_dir, head)?;
    Ok(groups.iter().any(|group| is_torn(rest, group, head.position)))
}

/// Renders the group of each segment that begins at `head`, exactly as appending its plan would write it.
fn groups_at<E: Event>(stream_dir: &StreamDir, head: StreamHead) -> Result<Vec<Vec<u8>>, Error> {
    let bounds = segments(stream_dir).map_err(Error::io("list the segments of a stream"))?;
    let mut groups = Vec::new();
    // A segment that cannot be read or parsed predicts no group.
    for bounds in bounds.into_iter().filter(|(first, _)| *first == head.next_event) {
        let Some(lines) = read_unattested(stream_dir, bounds)? else { continue };
        let Ok(events) = parse_segment::<E>(stream_dir, bounds, &lines) else { continue };
        let records = records_of(stream_dir, head, bounds, &lines, &events);
        groups.push(manifest::render(&records, head.position));
    }
    Ok(groups)
}

/// Returns the records that attest a segment behind `head`.
pub(super) fn records_of<E: Event>(
    stream_dir: &StreamDir,
    head: StreamHead,
    bounds: (EventIndex, EventIndex),
    lines: &[u8],
    events: &[E],
) -> Vec<Record> {
    let introduced =
        events.iter().filter_map(|event| Some((event.index(), event.id(), event.introduces()?)));
    record::of_segment(&stream_dir.stream, bounds, lines, introduced, head.next_manifest)
}

pub(super) fn read_unattested(
    stream_dir: &StreamDir,
    (first, last): (EventIndex, EventIndex),
) -> Result<Option<Vec<u8>>, Error> {
    let path = stream_dir.dir.join(record::segment_path(first, last));
    // A file longer than any plan is no segment, and one that is gone was moved or removed in the meantime.
    read_if_fits(stream_dir.disk().as_ref(), &path, PLAN_BYTES_MAX as u64)
        .map_err(Error::io("read a segment"))
}

/// Reads and checks the control records behind the tail's head, with their segments.
fn scan_control<E: Event>(
    stream_dir: &StreamDir,
    tail: &mut Tail,
    take: &mut dyn FnMut(E),
) -> Result<TailEnding, Error> {
    match stream_dir.read_control(tail.head.position)? {
        Some(text) => scan_text(stream_dir, tail, &text, take),
        None => Ok(TailEnding::Clean),
    }
}

/// Does the work of [`scan_control`] on control records that were already read from the tail's head on.
pub(super) fn scan_text<E: Event>(
    stream_dir: &StreamDir,
    tail: &mut Tail,
    text: &[u8],
    take: &mut dyn FnMut(E),
) -> Result<TailEnding, Error> {
    let base = tail.head.position;
    let end = base + text.len() as u64;
    let (next_manifest, next_event) = (tail.head.next_manifest, tail.head.next_event);
    let reading = manifest::read(text, base, &stream_dir.stream, next_manifest, next_event);
    let from = |offset: u64| &text[usize::try_from(offset - base).unwrap_or(text.len())..];
    let mut pins = KnownPins { first: next_event, pins: HashMap::new() };
    let parts = reading.groups.chunks(SEGMENTS_TOGETHER);
    for (group, segment) in parts.flat_map(|part| part.iter().zip(read_segments(stream_dir, part)))
    {
        let events = check_group::<E>(group, segment?, &mut pins)
            .and_then(|events| learn(tail, group, &events).map(|()| events));
        match events {
            Ok(events) => events.into_iter().for_each(&mut *take),
            Err(flaw) => {
                // The tail did not move over this group, so its head is where the damage begins.
                let rest = from(group.start);
                let newest = manifest::is_newest(rest);
                // If reading stopped among this group's pins, the pins are missing because the group was cut off.
                let is_last = group.end == reading.groups.last().map_or(0, |last| last.end);
                let cut_off = flaw == LineError::Corrupt(Reason::MissingPin) && is_last;
                let stop = reading.stop.filter(|_| cut_off);
                // Torn only if all three hold: no later group follows, reading itself stopped here, and a durable
                // segment predicts these bytes. Anything else could be an acknowledged plan.
                if newest && stop.is_some() && is_unfinished::<E>(stream_dir, tail.head, rest)? {
                    return Ok(TailEnding::Torn(StreamDir::torn(group.start, end)));
                }
                let flaw = stop.map_or(flaw, |stop| stop.flaw);
                return Ok(TailEnding::Broken { health: tail.head.health(flaw), newest });
            }
        }
    }
    // Every complete group is sound; the rest is either the start of an unfinished write or damage.
    let Some(stop) = reading.stop else { return Ok(TailEnding::Clean) };
    let rest = from(stop.offset);
    let newest = manifest::is_newest(rest);
    if newest && is_unfinished::<E>(stream_dir, tail.head, rest)? {
        return Ok(TailEnding::Torn(StreamDir::torn(stop.offset, end)));
    }
    Ok(TailEnding::Broken { health: tail.head.health(stop.flaw), newest })
}

/// Reads the control records behind `head` without reading any segment that they attest. Returns them and their ending.
fn read_groups<E: Event>(
    stream_dir: &StreamDir,
    head: StreamHead,
) -> Result<(Vec<Group>, TailEnding), Error> {
    let segments = segments_from_start(stream_dir, head)?;
    let base = head.position;
    let text = stream_dir.read_control(base)?.unwrap_or_default();
    let reading =
        manifest::read(&text, base, &stream_dir.stream, head.next_manifest, head.next_event);
    // `behind` is the end of the last group that was read, `before_newest` the end of the group before it. The last one
    // may lack pins: no segment is read here that would show how many it has.
    let mut behind = head;
    let mut before_newest = head;
    for group in &reading.groups {
        before_newest = behind;
        behind.position = group.end;
        behind.next_event = group.close.last_event_index.next();
        behind.next_manifest = group.last_manifest_index().next();
    }
    let Some(stop) = reading.stop else {
        let ending = unless_records_are_gone(&segments, behind, TailEnding::Clean);
        return Ok((reading.groups, ending));
    };
    let from = |at: StreamHead| &text[usize::try_from(at.position - base).unwrap_or(text.len())..];
    let newest = manifest::is_newest(from(behind));
    let mut ending = TailEnding::Broken { health: before_newest.health(stop.flaw), newest };
    // Reading may have stopped among the pins of a group or at the start of the next one.
    for at in [before_newest, behind] {
        if manifest::is_newest(from(at)) && is_unfinished::<E>(stream_dir, at, from(at))? {
            let torn = TailEnding::Torn(StreamDir::torn(at.position, base + text.len() as u64));
            ending = unless_records_are_gone(&segments, at, torn);
            break;
        }
    }
    Ok((reading.groups, ending))
}

/// The pins met in this reading, against which repeated pins are checked.
struct KnownPins {
    /// Events before this one were checked by an earlier reading.
    first: EventIndex,
    pins: HashMap<EventIndex, (SnapshotRef, EventId)>,
}

/// Checks the events of a plan, as they were read from its segment, against the records of the plan.
fn check_group<E: Event>(
    group: &Group,
    segment: Result<Vec<E>, LineError>,
    known: &mut KnownPins,
) -> Result<Vec<E>, LineError> {
    let events = segment?;
    let mut missing = 0_usize;
    for event in &events {
        // Each snapshot that an event introduces needs a pin in the same group: without one, a sweep could remove it.
        if let Some(snapshot) = event.introduces() {
            known.pins.insert(event.index(), (snapshot, event.id()));
            let pinned = group.pins.iter().any(|pin| pin.event_index == event.index());
            missing += usize::from(!pinned);
        }
    }
    // A pin must repeat what an event of this reading introduced, or refer to an event from before it.
    let stray = group.pins.iter().any(|pin| {
        let own = (pin.snapshot_ref, pin.created_by_event_id);
        match known.pins.get(&pin.event_index) {
            Some(introduced) => *introduced != own,
            None => pin.event_index >= known.first,
        }
    });
    if stray {
        return Err(LineError::Corrupt(Reason::StrayPin));
    }
    if missing > 0 {
        return Err(LineError::Corrupt(Reason::MissingPin));
    }
    Ok(events)
}

/// Reads the segments of some groups, in their order. Most of the time goes into parsing, so a long stream is read by
/// several threads.
fn read_segments<E: Event>(stream_dir: &StreamDir, groups: &[Group]) -> Vec<Checked<E>> {
    let read = |part: &[Group]| -> Vec<Checked<E>> {
        part.iter().map(|group| read_segment(stream_dir, group)).collect()
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(READ_THREADS_MAX);
    if threads == 1 || groups.len() < SEGMENTS_PARALLEL_MIN {
        return read(groups);
    }
    thread::scope(|scope| {
        let parts = groups.chunks(groups.len().div_ceil(threads));
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || read(part))).collect();
        let joined = parts.into_iter().flat_map(|part| {
            // A panic surfaces in the caller, as if it had read the segments itself.
            part.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        joined.collect()
    })
}

fn read_segment<E: Event>(stream_dir: &StreamDir, group: &Group) -> Checked<E> {
    let corrupt = |reason| Ok(Err(LineError::Corrupt(reason)));
    let close = &group.close;
    // A file longer than its record says was altered. Nothing of it is read, however long it became.
    let longest = close.bytes.min(PLAN_BYTES_MAX as u64);
    let bytes = match stream_dir.disk().read(&stream_dir.dir.join(&close.segment_rel_path), longest)
    {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            return corrupt(Reason::SegmentAltered);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return corrupt(Reason::SegmentMissing);
        }
        Err(error) => return Err(Error::io("read a segment")(error)),
    };
    // The record attests length and digest, so the events are parsed only once the bytes are known to be right.
    if bytes.len() as u64 != close.bytes || Digest::of(&FileBytes(&bytes)) != close.sha256 {
        return corrupt(Reason::SegmentAltered);
    }
    Ok(parse_segment(stream_dir, (close.first_event_index, close.last_event_index), &bytes))
}

/// Parses the events of a segment and checks that they fill exactly these bounds.
pub(super) fn parse_segment<E: Event>(
    stream_dir: &StreamDir,
    (first, last): (EventIndex, EventIndex),
    bytes: &[u8],
) -> Result<Vec<E>, LineError> {
    let events = read_events::<E>(bytes, &stream_dir.stream, first)?;
    if events.last().map(Event::index) != Some(last) {
        return Err(LineError::Corrupt(Reason::SegmentContents));
    }
    Ok(events)
}

/// Adds a checked group to the tail. If a dedupe key repeats, the tail stays as it was.
pub(super) fn learn<E: Event>(
    tail: &mut Tail,
    group: &Group,
    events: &[E],
) -> Result<(), LineError> {
    for (number, event) in events.iter().enumerate() {
        let known = tail.keys.contains_key(event.dedupe_key());
        // The keys of this group that went in already come out again, so that the tail stays at the end of the group
        // before.
        if known {
            for event in &events[..number] {
                tail.keys.remove(event.dedupe_key());
            }
            return Err(LineError::Corrupt(Reason::DedupeKeyRepeated));
        }
        tail.keys.insert(event.dedupe_key().clone(), event.index());
    }
    let head = &mut tail.head;
    head.position = group.end;
    head.newest_start = group.start;
    head.newest_first = group.close.first_event_index;
    head.next_event = group.close.last_event_index.next();
    head.next_manifest = group.last_manifest_index().next();
    Ok(())
}

/// Renames the segment that already has the next plan's name. It should belong to a plan that failed, but nothing
/// attests to that, and it may be all that is left of a plan whose record was lost.
fn put_aside(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    if disk.stat(path)?.is_none() {
        return Ok(());
    }
    let dir = path.parent().expect("a segment lies in a directory");
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(SEGMENTS);
    let aside = free_name(disk, dir, &format!("{name}.{ASIDE}"))?;
    disk.rename(path, &dir.join(aside))
}

/// Makes one plan part of the stream, in the four steps that the module describes.
fn commit(
    stream_dir: &StreamDir,
    head: StreamHead,
    plan: &Arc<EncodedPlan>,
) -> Result<StreamHead, Error> {
    let disk: &dyn Disk = stream_dir.disk().as_ref();
    let is_first = head.position == 0;
    let mut dirs = vec![stream_dir.dir.join(SEGMENTS)];
    // Only the first commit adds names to the stream's own directory and to the one above, so only it syncs them.
    if is_first {
        disk.create_dir(&dirs[0]).map_err(Error::io("make a stream's directory"))?;
        stream_dir.create_control()?;
        dirs.extend([stream_dir.dir.clone(), stream_dir.root.streams.clone()]);
    }
    let records = record::of_plan(&stream_dir.stream, plan, head.next_manifest);
    let group = manifest::render(&records, head.position);
    let path = stream_dir.dir.join(record::segment_path(plan.first, plan.last()));
    // Never overwritten: see `put_aside`.
    put_aside(disk, &path).map_err(Error::io("put a segment aside"))?;
    let staged = Staged::new(stream_dir.dir.join(TEMPORARY), path);
    let segment = NewFile { staged, bytes: Arc::clone(plan) };
    // Steps 1 to 3: after this, the segment and the blobs are durable under their names, but not yet part of the
    // stream.
    stream_dir.store_files(std::slice::from_ref(plan), Some(segment), dirs)?;
    // Step 4: once the group is synced, the plan is part of the stream.
    stream_dir.extend_control(head, &group)?;
    let position = head.position + group.len() as u64;
    let mut next_manifest = head.next_manifest;
    for _ in &records {
        next_manifest = next_manifest.next();
    }
    Ok(StreamHead {
        incarnation: head.incarnation,
        position,
        synced: position,
        next_manifest,
        next_event: plan.last().next(),
        newest_first: plan.first,
        newest_start: head.position,
    })
}
