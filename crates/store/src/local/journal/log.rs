//! The log layout: one file of framed records, a record for each plan.
//!
//! Plans that wait together are written together and share one sync. Each record carries the offset at which its group
//! began. A damaged record that a later group follows was acknowledged, so it is damage. A damaged record that nothing
//! follows is a torn tail if an unfinished write can have left it (see [`super::torn_write`]), and damage otherwise. A log
//! that ends, or becomes unreadable, before the length that it is known to have had (see [`super::durable_length`]) is
//! damaged in any case.
//!
//! A record is a header line `piton1 <payload length> <group offset> <digest>`, numbers in
//! lowercase hex of 8 and 16 digits, and the payload: the plan's events, one canonical line each.
//! The digest is over the header's two numbers and the payload. See `docs/format/log.md`.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use piton_core::{Digest, DigestBuilder, SnapshotRef};

use super::durable_length::DurableLength;
use super::event_line::{LineError, read_events};
use super::layout::Layout;
use super::stream_dir::StreamDir;
use super::tail::{StreamHead, Tail, TailEnding};
use super::torn_write::lacks_a_sector;
use crate::bounds::{PLAN_BYTES_MAX, QUEUE_PLANS_MAX, STREAM_BYTES_MAX};
use crate::plan::EncodedPlan;
use crate::port::Cursor;
use crate::record::Record;
use crate::{Error, Event, Reason};

const MAGIC: &[u8] = b"piton1 ";
const LENGTH_DIGITS: usize = 8;
const GROUP_DIGITS: usize = 16;
const DIGEST_DIGITS: usize = 64;
/// Maximum number of digits in a version; a longer number is damage.
const VERSION_DIGITS_MAX: usize = 4;
const HEADER_BYTES: usize = MAGIC.len() + LENGTH_DIGITS + 1 + GROUP_DIGITS + 1 + DIGEST_DIGITS + 1;

/// The layout of backpacks.
pub struct LogLayout;

impl LogLayout {
    /// Name of the control file.
    pub(in crate::local) const CONTROL_FILE: &'static str = "log";
}

impl Layout for LogLayout {
    const CONTROL: &'static str = Self::CONTROL_FILE;
    const PLANS_PER_COMMIT: usize = QUEUE_PLANS_MAX;

    fn scan<E: Event>(
        stream_dir: &StreamDir,
        tail: &mut Tail,
        take: &mut dyn FnMut(E),
    ) -> Result<TailEnding, Error> {
        // Read before the log: whatever is written in the meantime, the log is not shorter than this.
        let length = read_length(stream_dir)?;
        let ending = scan_records(stream_dir, tail, take)?;
        let position = tail.head.position;
        let Some(length) = length.filter(|length| position < length.bytes) else {
            return Ok(ending);
        };
        // The end of the bytes tells the two apart: a log that was cut is shorter than the note, a damaged one is not.
        let flaw = |end: u64| {
            let reason = if end < length.bytes { Reason::LogCut } else { Reason::LogDamaged };
            tail.head.health(LineError::Corrupt(reason))
        };
        let health = match &ending {
            TailEnding::Broken { health, .. } => health.clone(),
            TailEnding::Torn(torn) => flaw(torn.offset + torn.bytes),
            // The log is gone or empty; `reading::scan` handles that for all layouts.
            TailEnding::Clean if position == 0 => return Ok(ending),
            TailEnding::Clean => flaw(position),
        };
        // A note is deleted together with its log, and changes before the log is repaired. So if the note is still the
        // same, no writer at work explains what was read.
        if read_length(stream_dir)? != Some(length) {
            return Ok(ending);
        }
        Ok(TailEnding::Broken { health, newest: false })
    }

    fn commit(
        stream_dir: &StreamDir,
        head: StreamHead,
        plans: &[Arc<EncodedPlan>],
    ) -> Result<StreamHead, Error> {
        let mut dirs = Vec::new();
        // Only the first commit adds the log's name, so only it syncs the directories.
        if head.position == 0 {
            stream_dir.create_control()?;
            dirs.extend([stream_dir.dir.clone(), stream_dir.root.streams.clone()]);
        }
        let mut bytes = Vec::new();
        // All plans of the batch form one group: each record carries the offset at which the group begins.
        let mut next = head;
        next.newest_first = head.next_event;
        next.newest_start = head.position;
        for plan in plans {
            write_frame(&mut bytes, head.position, &plan.lines);
            next.next_manifest = next.next_manifest.next();
            next.next_event = plan.last().next();
        }
        let measured = head.position + bytes.len() as u64;
        // Checked before anything is written: a longer log could not be read again.
        if measured > STREAM_BYTES_MAX {
            return Err(Error::TooLarge { what: "a log", measured, max: STREAM_BYTES_MAX });
        }
        // The blobs become durable first, so that no durable record ever refers to a missing one.
        stream_dir.store_files(plans, None, dirs)?;
        stream_dir.extend_control(head, &bytes)?;
        next.position = measured;
        next.synced = measured;
        Ok(next)
    }

    fn committed(stream_dir: &StreamDir, head: StreamHead) {
        DurableLength::write(stream_dir, head);
    }

    fn roll_back(stream_dir: &StreamDir, head: StreamHead) -> io::Result<u64> {
        // The count is read before the note is lowered: it is the only trace of events whose records are gone.
        let events = DurableLength::read(stream_dir)?.map_or(0, |length| length.events);
        // The note is lowered before the log is cut. The other way round, a crash in between would make the repaired
        // log look cut.
        DurableLength::lower(stream_dir, head)?;
        Ok(events.saturating_sub(head.next_event.get()))
    }

    fn pins<E: Event>(
        _: &StreamDir,
        since: Option<&Cursor>,
    ) -> Result<(Vec<SnapshotRef>, StreamHead, TailEnding), Error> {
        // A log has no control records; its owner knows which blobs its events refer to.
        Ok((Vec::new(), since.map(StreamHead::from_cursor).unwrap_or_default(), TailEnding::Clean))
    }

    fn records<E: Event>(_: &StreamDir) -> Result<(Vec<Record>, TailEnding), Error> {
        Ok((Vec::new(), TailEnding::Clean))
    }

    fn files_behind(_: &StreamDir, _: StreamHead) -> io::Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    fn shows_lost_plans(stream_dir: &StreamDir) -> io::Result<bool> {
        // A note is written only after a commit, so its existence shows that there was one.
        Ok(DurableLength::read(stream_dir)?.is_some())
    }

    fn evict(stream_dir: &StreamDir) -> io::Result<()> {
        stream_dir.disk().evict(&stream_dir.control)
    }
}

fn read_length(stream_dir: &StreamDir) -> Result<Option<DurableLength>, Error> {
    DurableLength::read(stream_dir).map_err(Error::io("look at a stream"))
}

/// Reads and checks the records behind the tail's head, and moves the tail over those that are sound.
fn scan_records<E: Event>(
    stream_dir: &StreamDir,
    tail: &mut Tail,
    take: &mut dyn FnMut(E),
) -> Result<TailEnding, Error> {
    let base = tail.head.position;
    let Some(text) = stream_dir.read_control(base)? else { return Ok(TailEnding::Clean) };
    let mut at = 0;
    while at < text.len() {
        let offset = base + at as u64;
        let Some(frame) = LogFrame::read(&text[at..], offset) else {
            let rest = &text[at..];
            // Checked first: a record of a newer version is neither torn nor damaged, and must not be cut off.
            if let Some(version) = newer_version(rest, offset) {
                let health = tail.head.health(LineError::UnknownVersion(version));
                return Ok(TailEnding::Broken { health, newest: false });
            }
            let newest = !acknowledged_behind(rest, offset);
            if newest && is_unfinished(rest, offset) {
                return Ok(TailEnding::Torn(StreamDir::torn(offset, base + text.len() as u64)));
            }
            let health = tail.head.health(LineError::Corrupt(Reason::LogDamaged));
            return Ok(TailEnding::Broken { health, newest });
        };
        let record_len = HEADER_BYTES + frame.payload.len();
        let is_last = at + record_len == text.len();
        match read_payload::<E>(stream_dir, tail, frame.payload) {
            Ok(events) => {
                let head = &mut tail.head;
                // The first record of a group has its own offset as group offset.
                if frame.group == offset {
                    head.newest_first = head.next_event;
                    head.newest_start = offset;
                }
                for event in &events {
                    tail.keys.insert(event.dedupe_key().clone(), event.index());
                    head.next_event = event.index().next();
                }
                head.position = offset + record_len as u64;
                head.next_manifest = head.next_manifest.next();
                events.into_iter().for_each(&mut *take);
            }
            Err(flaw) => {
                // The digest was right, so these are the bytes that were written: an unfinished write does not explain
                // the flaw.
                let health = tail.head.health(flaw);
                return Ok(TailEnding::Broken { health, newest: is_last });
            }
        }
        at += record_len;
    }
    Ok(TailEnding::Clean)
}

struct LogFrame<'a> {
    group: u64,
    payload: &'a [u8],
}

impl<'a> LogFrame<'a> {
    /// Reads the record at the start of `text`, which stands at `offset`, if it is complete.
    fn read(text: &'a [u8], offset: u64) -> Option<Self> {
        let header = Header::read(text)?;
        // A group begins at or before its records, so a larger offset means that the record was moved or damaged.
        if header.payload_len > PLAN_BYTES_MAX || header.group > offset {
            return None;
        }
        let payload = text.get(HEADER_BYTES..HEADER_BYTES + header.payload_len)?;
        // The digest covers the numbers as text, so that their spelling is fixed too.
        let found = digest_of(header.numbers, payload);
        (found.hex() == header.digest).then_some(Self { group: header.group, payload })
    }
}

/// The first line of a record, as it is written. Only the digest shows whether it is true.
struct Header<'a> {
    /// Both numbers as text, which is what the digest covers.
    numbers: &'a str,
    payload_len: usize,
    group: u64,
    digest: &'a str,
}

impl<'a> Header<'a> {
    fn read(text: &'a [u8]) -> Option<Self> {
        let header = std::str::from_utf8(text.get(..HEADER_BYTES)?).ok()?;
        let fields = header.strip_prefix(std::str::from_utf8(MAGIC).ok()?)?.strip_suffix('\n')?;
        let mut parts = fields.split(' ');
        let (length, group, digest) = (parts.next()?, parts.next()?, parts.next()?);
        let sizes = (length.len(), group.len(), digest.len());
        if parts.next().is_some() || sizes != (LENGTH_DIGITS, GROUP_DIGITS, DIGEST_DIGITS) {
            return None;
        }
        Some(Self {
            numbers: &fields[..LENGTH_DIGITS + 1 + GROUP_DIGITS],
            payload_len: usize::from_str_radix(length, 16).ok()?,
            group: u64::from_str_radix(group, 16).ok()?,
            digest,
        })
    }
}

/// True if the record at the start of `text` can be what an unfinished write left: it lacks its end or a sector. The
/// record is known to be incomplete, with no later group behind it.
fn is_unfinished(text: &[u8], offset: u64) -> bool {
    if text.len() < HEADER_BYTES || lacks_a_sector(text, offset) {
        return true;
    }
    // The header line is written out before what follows it, so it is as it was written unless it was changed later.
    let Some(header) = Header::read(text) else { return false };
    let payload = &text[HEADER_BYTES..];
    // No plan is that long; or all bytes of the payload are there, so the write was complete. Either way the record was
    // altered afterwards.
    if header.payload_len > PLAN_BYTES_MAX || header.payload_len <= payload.len() {
        return false;
    }
    // The file ends before the record does, unless the length is what was changed.
    let next = find(payload, MAGIC).unwrap_or(payload.len());
    // If the digest fits a shorter payload, the record was complete and acknowledged, and only its length was altered.
    let whole_at = |end: usize| {
        let numbers = format!("{end:08x} {:016x}", header.group);
        digest_of(&numbers, &payload[..end]).hex() == header.digest
    };
    !whole_at(next) && !whole_at(payload.len())
}

/// Returns the version of the record at the start of `text` if this program does not know it.
fn newer_version(text: &[u8], offset: u64) -> Option<u64> {
    let stem = MAGIC.strip_suffix(b"1 ").expect("the first version is 1");
    let rest = text.strip_prefix(stem)?;
    let digits = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    if digits == 0 || digits > VERSION_DIGITS_MAX || rest[digits] != b' ' {
        return None;
    }
    let version = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    // If the record is sound as version 1, it is ours, and only the digit was changed.
    let mut ours = MAGIC.to_vec();
    ours.extend_from_slice(&rest[digits + 1..]);
    (version != 1 && LogFrame::read(&ours, offset).is_none()).then_some(version)
}

/// Returns the offset at which `wanted` begins in `text`.
fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

fn digest_of(numbers: &str, payload: &[u8]) -> Digest {
    let mut builder = DigestBuilder::new();
    builder.update(numbers.as_bytes());
    builder.update(payload);
    builder.finish()
}

fn write_frame(out: &mut Vec<u8>, group: u64, payload: &[u8]) {
    let numbers = format!("{:08x} {group:016x}", payload.len());
    let digest = digest_of(&numbers, payload).hex();
    out.extend_from_slice(MAGIC);
    writeln!(out, "{numbers} {digest}").expect("writing to memory does not fail");
    out.extend_from_slice(payload);
}

/// True if a complete record of a later group stands behind the damaged record at the start of `text`.
fn acknowledged_behind(text: &[u8], offset: u64) -> bool {
    // Lengths cannot be trusted behind damage, so every place where a record could begin is tried.
    let mut at = 1;
    while let Some(found) = text.get(at..).and_then(|rest| find(rest, MAGIC)) {
        at += found;
        // A group that began after this record was written only once this record was durable and acknowledged.
        if LogFrame::read(&text[at..], offset + at as u64).is_some_and(|frame| frame.group > offset)
        {
            return true;
        }
        at += 1;
    }
    false
}

fn read_payload<E: Event>(
    stream_dir: &StreamDir,
    tail: &Tail,
    payload: &[u8],
) -> Result<Vec<E>, LineError> {
    let events = read_events::<E>(payload, &stream_dir.stream, tail.head.next_event)?;
    // A plan has at least one event, and no dedupe key may repeat: both were checked when the plan was appended.
    if events.is_empty() {
        return Err(LineError::Corrupt(Reason::SegmentContents));
    }
    if events.iter().any(|event| tail.keys.contains_key(event.dedupe_key())) {
        return Err(LineError::Corrupt(Reason::DedupeKeyRepeated));
    }
    Ok(events)
}
