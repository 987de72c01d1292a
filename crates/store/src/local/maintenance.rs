//! What is done to a whole stream on request: check it, roll it back, remove it.

use super::{
    aside,
    disk::FileLock,
    files::{free_name, remove, remove_all, replace, unless_gone},
    layout::Layout,
    reading,
    stream_dir::StreamDir,
    tail::{StreamHead, TailEnding},
};
use crate::{
    Error, Event, Health,
    port::{StreamRepair, StreamVerification},
};

/// Takes the lock of a stream that exists, or whose first write failed, or of which a repair left nothing.
fn lock<L: Layout>(site: &StreamDir) -> Result<Box<dyn FileLock>, Error> {
    let mark = site.disk().stat(&site.poison_mark()).map_err(Error::io("look at a stream"))?;
    // The disk may have failed before it took anything of the stream, not even the mark.
    let is_known = site.ground.poisoned().contains(&site.stream);
    let is_there = site.control_stat()?.is_some() || mark.is_some() || is_known;
    if !is_there && !reading::was_written::<L>(site)? && aside::list(site)?.is_empty() {
        return Err(Error::NotFound { stream: site.stream.clone() });
    }
    site.lock(is_known)?.ok_or_else(|| Error::Locked { stream: site.stream.clone() })
}

fn evict<L: Layout>(site: &StreamDir) -> Result<(), Error> {
    unless_gone(L::evict(site)).map_err(Error::io("drop cached bytes"))
}

/// Checks a stream as the medium holds it, and lifts the mark of a failed sync if it is sound.
pub(super) fn verify<E: Event, L: Layout>(site: &StreamDir) -> Result<StreamVerification, Error> {
    let _lock = lock::<L>(site)?;
    evict::<L>(site)?;
    let reading = reading::read::<E, L>(site, StreamHead::default())?;
    let (health, torn_tail) = reading.ending.into_health();
    let lift = || {
        if !health.is_healthy() {
            return Ok(false);
        }
        let known = site.ground.poisoned().remove(&site.stream);
        if site.disk().stat(&site.poison_mark())?.is_none() {
            return Ok(known);
        }
        site.disk().remove_file(&site.poison_mark())?;
        site.disk().sync_dir(&site.dir)?;
        Ok(true)
    };
    let mark_lifted = lift().map_err(Error::io("lift the mark of a failed sync"))?;
    let head = reading.tail.head;
    let unfinished = if health.is_healthy() {
        L::files_behind(site, head).map_err(Error::io("look at a stream"))?.len()
    } else {
        0
    };
    let events = head.next_event.get();
    let repairable = match health {
        Health::Healthy | Health::UnknownVersion { .. } => events,
        Health::CorruptTail { .. } | Health::CorruptHead { .. } => {
            let control = site.read_control(0)?.unwrap_or_default();
            match L::restore::<E>(site, head, &control) {
                Ok(restored) => restored.head.next_event.get(),
                Err(Error::UnsupportedVersion { .. }) => events,
                Err(error) => return Err(error),
            }
        }
    };
    Ok(StreamVerification { health, events, repairable, torn_tail, unfinished, mark_lifted })
}

/// Writes control records that are damaged or gone again where the rest of their plans is whole, and rolls a corrupt
/// stream back to its last whole plan otherwise.
///
/// What is taken away is copied and synced before anything is removed, and the control file is replaced last. Until
/// then the stream is damaged for everybody, so that a repair which was cut off is always found, and is finished by
/// the next one.
pub(super) fn repair<E: Event, L: Layout>(site: &StreamDir) -> Result<StreamRepair, Error> {
    let _lock = lock::<L>(site)?;
    evict::<L>(site)?;
    let reading = reading::read::<E, L>(site, StreamHead::default())?;
    let head = reading.tail.head;
    let TailEnding::Broken { health: was, .. } = reading.ending else {
        // It may be sound because of a repair whose last sync failed.
        aside::sync_names(site).map_err(Error::io("repair a stream"))?;
        let (was, next_event) = (Health::Healthy, head.next_event);
        return Ok(StreamRepair { was, next_event, rewritten: 0, lost: 0, backup: None });
    };
    if let Health::UnknownVersion { version, .. } = was {
        return Err(newer(version));
    }
    let control = site.read_control(0)?.unwrap_or_default();
    let restored = L::restore::<E>(site, head, &control)?;
    let head = restored.head;
    let roll_back = || {
        let behind = L::files_behind(site, head)?;
        // If what is missing is all that is wrong, nothing is taken away.
        let is_whole = restored.control == control && behind.is_empty();
        let taken: &[u8] = if is_whole { &[] } else { &control };
        let backup = aside::take_away(site, taken, &behind)?;
        let lost = L::roll_back(site, head)?;
        let disk = site.disk().as_ref();
        if head.position == 0 {
            // Nothing is left of the stream, and that is no damage from now on.
            remove(disk, &site.begun_mark())?;
            disk.sync_dir(&site.dir)?;
        }
        replace(disk, &site.control, &site.dir.join("repair.tmp"), &restored.control)?;
        let backup = backup.map(|name| aside::describe(site, name)).transpose()?;
        Ok((lost, backup))
    };
    let (lost, backup) = roll_back().map_err(Error::io("repair a stream"))?;
    let (next_event, rewritten) = (head.next_event, restored.rewritten);
    Ok(StreamRepair { was, next_event, rewritten, lost, backup })
}

/// Refuses a stream that a newer Piton wrote.
pub(super) fn newer(found: u64) -> Error {
    let known = u64::from(crate::record::VERSION);
    Error::UnsupportedVersion { what: "the stream", found, known }
}

/// Removes a stream whose lock is held: it disappears in one step, and is then emptied.
pub(super) fn delete(site: &StreamDir) -> Result<(), Error> {
    let disk = site.disk().as_ref();
    let trash = site.ground.dir.trash();
    let remove = || {
        let gone = free_name(disk, &trash, site.stream.as_str())?;
        disk.rename(&site.dir, &trash.join(gone))?;
        disk.sync_dir(&site.ground.streams)?;
        disk.sync_dir(&trash)?;
        // What a deletion that was cut off left behind goes now too.
        for name in disk.list(&trash)? {
            remove_all(disk, &trash.join(name))?;
        }
        Ok(())
    };
    remove().map_err(Error::io("delete a stream"))
}
