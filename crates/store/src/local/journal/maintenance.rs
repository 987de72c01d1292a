//! Operations on a whole stream, on request: verify, repair, delete.

use super::layout::Layout;
use super::stream_dir::StreamDir;
use super::tail::{StreamHead, TailEnding};
use super::{reading, set_aside};
use crate::local::disk::FileLock;
use crate::local::file_ops::{free_name, remove, remove_all, replace, unless_gone};
use crate::port::{StreamRepair, StreamVerification};
use crate::{Error, Event, Health};

/// Takes the lock of a stream that exists, whose first write failed, or of which a repair left nothing.
fn lock<L: Layout>(stream_dir: &StreamDir) -> Result<Box<dyn FileLock>, Error> {
    let mark =
        stream_dir.disk().stat(&stream_dir.poison_mark()).map_err(Error::io("look at a stream"))?;
    // The disk may have failed before it took anything of the stream, not even the mark.
    let is_known = stream_dir.root.poisoned().contains(&stream_dir.stream);
    let is_there = stream_dir.control_stat()?.is_some() || mark.is_some() || is_known;
    if !is_there
        && !reading::was_written::<L>(stream_dir)?
        && set_aside::list(stream_dir)?.is_empty()
    {
        return Err(Error::NotFound { stream: stream_dir.stream.clone() });
    }
    stream_dir.lock(is_known)?.ok_or_else(|| Error::Locked { stream: stream_dir.stream.clone() })
}

fn evict<L: Layout>(stream_dir: &StreamDir) -> Result<(), Error> {
    unless_gone(L::evict(stream_dir)).map_err(Error::io("drop cached bytes"))
}

/// Checks a stream as the medium holds it, and lifts the mark of a failed sync if it is sound.
pub(super) fn verify<E: Event, L: Layout>(
    stream_dir: &StreamDir,
) -> Result<StreamVerification, Error> {
    let _lock = lock::<L>(stream_dir)?;
    // After a failed sync the page cache may hold bytes that the medium does not have. Only the medium counts here.
    evict::<L>(stream_dir)?;
    let reading = reading::read::<E, L>(stream_dir, StreamHead::default())?;
    let (health, torn_tail) = reading.ending.into_health();
    let lift = || {
        if !health.is_healthy() {
            return Ok(false);
        }
        // The process's own memory first: it may know of a failure for which the disk did not even take a mark.
        let known = stream_dir.root.poisoned().remove(&stream_dir.stream);
        if stream_dir.disk().stat(&stream_dir.poison_mark())?.is_none() {
            return Ok(known);
        }
        stream_dir.disk().remove_file(&stream_dir.poison_mark())?;
        stream_dir.disk().sync_dir(&stream_dir.dir)?;
        Ok(true)
    };
    let mark_lifted = lift().map_err(Error::io("lift the mark of a failed sync"))?;
    let head = reading.tail.head;
    // In a sound stream, files behind the end belong to plans that were never committed.
    let unfinished = if health.is_healthy() {
        L::files_behind(stream_dir, head).map_err(Error::io("look at a stream"))?.len()
    } else {
        0
    };
    let events = head.next_event.get();
    let repairable = match health {
        Health::Healthy | Health::UnknownVersion { .. } => events,
        Health::CorruptTail { .. } | Health::CorruptHead { .. } => {
            // Nothing is changed here; a repair would restore the same.
            let control = stream_dir.read_control(0)?.unwrap_or_default();
            match L::restore::<E>(stream_dir, head, &control) {
                Ok(restored) => restored.head.next_event.get(),
                Err(Error::UnsupportedVersion { .. }) => events,
                Err(error) => return Err(error),
            }
        }
    };
    Ok(StreamVerification { health, events, repairable, torn_tail, unfinished, mark_lifted })
}

/// Repairs a corrupt stream. Rewrites control records that are damaged or gone where the rest of their plans is intact,
/// and otherwise rolls the stream back to its last intact plan.
///
/// Everything that is taken away is copied and synced before anything is removed, and the control file is replaced
/// last. Until then every process sees a damaged stream, so that an interrupted repair is always noticed, and the next
/// one finishes it.
pub(super) fn repair<E: Event, L: Layout>(stream_dir: &StreamDir) -> Result<StreamRepair, Error> {
    let _lock = lock::<L>(stream_dir)?;
    evict::<L>(stream_dir)?;
    let reading = reading::read::<E, L>(stream_dir, StreamHead::default())?;
    let head = reading.tail.head;
    let TailEnding::Broken { health: was, .. } = reading.ending else {
        // It may be sound because of a repair whose last sync failed.
        set_aside::sync_names(stream_dir).map_err(Error::io("repair a stream"))?;
        let (was, next_event) = (Health::Healthy, head.next_event);
        return Ok(StreamRepair { was, next_event, rewritten: 0, lost: 0, backup: None });
    };
    // Rolling back what a newer version wrote would throw away sound data.
    if let Health::UnknownVersion { version, .. } = was {
        return Err(newer(version));
    }
    let control = stream_dir.read_control(0)?.unwrap_or_default();
    let restored = L::restore::<E>(stream_dir, head, &control)?;
    let head = restored.head;
    let roll_back = || {
        let behind = L::files_behind(stream_dir, head)?;
        // If missing data is all that is wrong, nothing is taken away.
        let is_whole = restored.control == control && behind.is_empty();
        let taken: &[u8] = if is_whole { &[] } else { &control };
        // Step 1: copies of everything that goes, durable before any removal.
        let backup = set_aside::take_away(stream_dir, taken, &behind)?;
        // Step 2: the note of the stream's length, so that the shorter stream does not look cut.
        let lost = L::roll_back(stream_dir, head)?;
        let disk = stream_dir.disk().as_ref();
        if head.position == 0 {
            // Nothing is left of the stream, and from now on that is not damage.
            remove(disk, &stream_dir.begun_mark())?;
            disk.sync_dir(&stream_dir.dir)?;
        }
        // Step 3: only now does the stream become sound.
        replace(disk, &stream_dir.control, &stream_dir.dir.join("repair.tmp"), &restored.control)?;
        let backup = backup.map(|name| set_aside::describe(stream_dir, name)).transpose()?;
        Ok((lost, backup))
    };
    let (lost, backup) = roll_back().map_err(Error::io("repair a stream"))?;
    let (next_event, rewritten) = (head.next_event, restored.rewritten);
    Ok(StreamRepair { was, next_event, rewritten, lost, backup })
}

/// Returns the error for a stream that a newer Piton wrote.
pub(super) fn newer(found: u64) -> Error {
    let known = u64::from(crate::record::VERSION);
    Error::UnsupportedVersion { what: "the stream", found, known }
}

/// Removes a stream whose lock is held: it disappears in one step and is emptied afterwards.
pub(super) fn delete(stream_dir: &StreamDir) -> Result<(), Error> {
    let disk = stream_dir.disk().as_ref();
    let trash = stream_dir.root.dir.trash();
    let remove = || {
        let gone = free_name(disk, &trash, stream_dir.stream.as_str())?;
        // One rename takes the whole stream away. Its lock file moves along, so the lock stays valid until the end.
        disk.rename(&stream_dir.dir, &trash.join(gone))?;
        disk.sync_dir(&stream_dir.root.streams)?;
        disk.sync_dir(&trash)?;
        // What an interrupted deletion left behind goes now too.
        for name in disk.list(&trash)? {
            remove_all(disk, &trash.join(name))?;
        }
        Ok(())
    };
    remove().map_err(Error::io("delete a stream"))
}
