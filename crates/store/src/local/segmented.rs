//! The segmented layout: a file of events for each plan, and a manifest that attests them.
//!
//! A plan becomes part of the stream in four steps, three of which wait for the disk:
//! 1. the segment and the plan's blobs are written and synced, at the same time;
//! 2. they get their names;
//! 3. their directories are synced, at the same time;
//! 4. the plan's group is written to the manifest in one write, and synced.
//!
//! A segment that no manifest record attests is not part of the stream and is never read.

use std::{collections::HashMap, io, sync::Arc};

use piton_core::{Digest, EventId, EventIndex, FileBytes, SnapshotRef};

use super::{
    disk::Disk,
    files::names_in,
    layout::Layout,
    site::{NewFile, Site},
    tail::{Ending, Head, Tail},
};
use crate::{
    Error, Event, Reason,
    bounds::PLAN_BYTES_MAX,
    line::{Flaw, read_event},
    manifest::{self, Group},
    plan::EncodedPlan,
    port::Cursor,
    record::{self, Record},
};

/// Where a segment is written before it has its name. There is one writer, so one name is enough.
const TEMPORARY: &str = "events/segment.tmp";

/// The layout of sessions.
pub struct Segmented;

/// A plan's events, checked against its records.
type Checked<E> = Result<Result<Vec<E>, Flaw>, Error>;

impl Layout for Segmented {
    const CONTROL: &'static str = "manifest.jsonl";
    const PLANS_PER_COMMIT: usize = 1;

    fn scan<E: Event>(
        site: &Site,
        tail: &mut Tail,
        take: &mut dyn FnMut(E),
    ) -> Result<Ending, Error> {
        let base = tail.head.position;
        let Some(text) = site.read_control(base)? else { return Ok(Ending::Clean) };
        let end = base + text.len() as u64;
        let (next_manifest, next_event) = (tail.head.next_manifest, tail.head.next_event);
        let reading = manifest::read(&text, base, &site.stream, next_manifest, next_event);
        let from = |offset: u64| &text[usize::try_from(offset - base).unwrap_or(text.len())..];
        let mut pins = KnownPins { first: next_event, pins: HashMap::new() };
        for group in &reading.groups {
            let events = check_group::<E>(site, group, &mut pins)?
                .and_then(|events| learn(tail, group, &events).map(|()| events));
            match events {
                Ok(events) => events.into_iter().for_each(&mut *take),
                Err(flaw) => {
                    let rest = from(group.start);
                    let newest = manifest::is_newest(rest);
                    // If reading stopped among its pins, that is why they are missing.
                    let is_last = group.end == reading.groups.last().map_or(0, |last| last.end);
                    let cut_off = flaw == Flaw::Corrupt(Reason::MissingPin) && is_last;
                    let stop = reading.stop.filter(|_| cut_off);
                    if newest && stop.is_some() && manifest::is_unfinished(rest) {
                        return Ok(Ending::Torn(Site::torn(group.start, end)));
                    }
                    let flaw = stop.map_or(flaw, |stop| stop.flaw);
                    return Ok(Ending::Broken { health: tail.head.health(flaw), newest });
                }
            }
        }
        let Some(stop) = reading.stop else { return Ok(Ending::Clean) };
        let rest = from(stop.offset);
        let newest = manifest::is_newest(rest);
        if newest && manifest::is_unfinished(rest) {
            return Ok(Ending::Torn(Site::torn(stop.offset, end)));
        }
        Ok(Ending::Broken { health: tail.head.health(stop.flaw), newest })
    }

    fn commit(site: &Site, head: Head, plans: &[Arc<EncodedPlan>]) -> Result<Head, Error> {
        let mut head = head;
        for plan in plans {
            head = commit(site, head, plan)?;
        }
        Ok(head)
    }

    fn pins(
        site: &Site,
        since: Option<&Cursor>,
    ) -> Result<(Vec<SnapshotRef>, Head, Ending), Error> {
        let mut head = since.map(Head::from_cursor).unwrap_or_default();
        let (groups, ending) = read_groups(site, head)?;
        let refs = groups.iter().flat_map(|group| &group.pins);
        let refs = refs.map(|pin| pin.snapshot_ref).collect();
        // The newest group is read again next time: its pins may not all have been there.
        if let Some(newest) = groups.last() {
            head.position = newest.start;
            head.next_manifest = newest.close.manifest_index;
            head.next_event = newest.close.first_event_index;
        }
        Ok((refs, head, ending))
    }

    fn records(site: &Site) -> Result<(Vec<Record>, Ending), Error> {
        let (groups, ending) = read_groups(site, Head::default())?;
        Ok((groups.into_iter().flat_map(Group::into_records).collect(), ending))
    }

    fn files_behind(site: &Site, head: Head) -> io::Result<Vec<String>> {
        let mut behind = names_in(site.disk().as_ref(), &site.dir.join("events"))?;
        behind.retain(|name| {
            let first = name.split('-').next().and_then(|text| text.parse::<u64>().ok());
            first.is_some_and(|first| first >= head.next_event.get())
        });
        behind.sort_unstable();
        Ok(behind.into_iter().map(|name| format!("events/{name}")).collect())
    }

    fn evict(site: &Site) -> io::Result<()> {
        for name in site.disk().list(&site.dir.join("events"))? {
            site.disk().evict(&site.dir.join("events").join(name))?;
        }
        site.disk().evict(&site.control)
    }
}

/// The control records behind `head`, and how they end. No segment is read.
fn read_groups(site: &Site, head: Head) -> Result<(Vec<Group>, Ending), Error> {
    let base = head.position;
    let Some(text) = site.read_control(base)? else { return Ok((Vec::new(), Ending::Clean)) };
    let reading = manifest::read(&text, base, &site.stream, head.next_manifest, head.next_event);
    let Some(stop) = reading.stop else { return Ok((reading.groups, Ending::Clean)) };
    let rest = &text[usize::try_from(stop.offset - base).unwrap_or(text.len())..];
    let newest = manifest::is_newest(rest);
    let ending = if newest && manifest::is_unfinished(rest) {
        Ending::Torn(Site::torn(stop.offset, base + text.len() as u64))
    } else {
        let mut behind = head;
        if let Some(group) = reading.groups.last() {
            behind.next_manifest = group.close.manifest_index;
            behind.next_event = group.close.first_event_index;
        }
        Ending::Broken { health: behind.health(stop.flaw), newest }
    };
    Ok((reading.groups, ending))
}

/// The pins of this reading, against which a repeated pin is checked.
struct KnownPins {
    /// Events before this one were checked by an earlier reading.
    first: EventIndex,
    pins: HashMap<EventIndex, (SnapshotRef, EventId)>,
}

fn check_group<E: Event>(site: &Site, group: &Group, known: &mut KnownPins) -> Checked<E> {
    let events = match read_segment::<E>(site, group)? {
        Ok(events) => events,
        Err(flaw) => return Ok(Err(flaw)),
    };
    let mut missing = 0_usize;
    for event in &events {
        if let Some(snapshot) = event.introduces() {
            known.pins.insert(event.index(), (snapshot, event.id()));
            let pinned = group.pins.iter().any(|pin| pin.event_index == event.index());
            missing += usize::from(!pinned);
        }
    }
    let stray = group.pins.iter().any(|pin| {
        let own = (pin.snapshot_ref, pin.created_by_event_id);
        match known.pins.get(&pin.event_index) {
            Some(introduced) => *introduced != own,
            None => pin.event_index >= known.first,
        }
    });
    if stray {
        return Ok(Err(Flaw::Corrupt(Reason::StrayPin)));
    }
    if missing > 0 {
        return Ok(Err(Flaw::Corrupt(Reason::MissingPin)));
    }
    Ok(Ok(events))
}

fn read_segment<E: Event>(site: &Site, group: &Group) -> Checked<E> {
    let corrupt = |reason| Ok(Err(Flaw::Corrupt(reason)));
    let close = &group.close;
    let longest = close.bytes.min(PLAN_BYTES_MAX as u64);
    let bytes = match site.disk().read(&site.dir.join(&close.segment_rel_path), longest) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            return corrupt(Reason::SegmentAltered);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return corrupt(Reason::SegmentMissing);
        }
        Err(error) => return Err(Error::io("read a segment")(error)),
    };
    if bytes.len() as u64 != close.bytes || Digest::of(&FileBytes(&bytes)) != close.sha256 {
        return corrupt(Reason::SegmentAltered);
    }
    let mut events = Vec::new();
    let mut expected = close.first_event_index;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let event = match read_event::<E>(line) {
            Ok(event) => event,
            Err(flaw) => return Ok(Err(flaw)),
        };
        if !event.belongs_to(&site.stream) {
            return corrupt(Reason::ForeignStream);
        }
        if event.index() != expected || line.last() != Some(&b'\n') {
            return corrupt(Reason::SegmentContents);
        }
        expected = expected.next();
        events.push(event);
    }
    if expected != close.last_event_index.next() {
        return corrupt(Reason::SegmentContents);
    }
    Ok(Ok(events))
}

/// Adds a checked group to the tail.
fn learn<E: Event>(tail: &mut Tail, group: &Group, events: &[E]) -> Result<(), Flaw> {
    for (number, event) in events.iter().enumerate() {
        let known = tail.keys.contains_key(event.dedupe_key());
        if known {
            for event in &events[..number] {
                tail.keys.remove(event.dedupe_key());
            }
            return Err(Flaw::Corrupt(Reason::DedupeKeyRepeated));
        }
        tail.keys.insert(event.dedupe_key().clone(), event.index());
    }
    let head = &mut tail.head;
    head.position = group.end;
    head.newest_start = group.start;
    head.newest_first = group.close.first_event_index;
    head.next_event = group.close.last_event_index.next();
    let last = group.pins.last().map_or(group.close.manifest_index, |pin| pin.manifest_index);
    head.next_manifest = last.next();
    Ok(())
}

fn commit(site: &Site, head: Head, plan: &Arc<EncodedPlan>) -> Result<Head, Error> {
    let disk: &dyn Disk = site.disk().as_ref();
    let is_first = head.position == 0;
    let mut dirs = vec![site.dir.join("events")];
    if is_first {
        disk.create_dir(&dirs[0]).map_err(Error::io("make a stream's directory"))?;
        site.create_control()?;
        dirs.extend([site.dir.clone(), site.ground.streams.clone()]);
    }
    let records = record::of_plan(&site.stream, plan, head.next_manifest);
    let group = manifest::render(&records, head.position);
    let segment = NewFile {
        temporary: site.dir.join(TEMPORARY),
        path: site.dir.join(record::segment_path(plan.first, plan.last())),
        bytes: Arc::clone(plan),
    };
    site.store_files(std::slice::from_ref(plan), Some(segment), dirs)?;
    site.extend_control(head, &group)?;
    let position = head.position + group.len() as u64;
    let mut next_manifest = head.next_manifest;
    for _ in &records {
        next_manifest = next_manifest.next();
    }
    Ok(Head {
        incarnation: head.incarnation,
        position,
        synced: position,
        next_manifest,
        next_event: plan.last().next(),
        newest_first: plan.first,
        newest_start: head.position,
    })
}
