//! What is done to a whole stream on request: check it, roll it back, remove it.

use std::io;

use super::{
    disk::FileLock,
    files::{free_name, remove_all, replace, unless_gone, write_new},
    layout::Layout,
    reading,
    site::Site,
    tail::{Ending, Head},
};
use crate::{
    Error, Event, Health,
    port::{Repaired, Verified},
};

/// Takes the lock of a stream that exists, or whose first write failed.
fn lock(site: &Site) -> Result<Box<dyn FileLock>, Error> {
    let mark = site.disk().stat(&site.poison_mark()).map_err(Error::io("look at a stream"))?;
    // The disk may have failed before it took anything of the stream, not even the mark.
    let is_known = site.ground.poisoned().contains(&site.stream);
    if site.control_stat()?.is_none() && mark.is_none() && !is_known {
        return Err(Error::NotFound { stream: site.stream.clone() });
    }
    site.lock(is_known)?.ok_or_else(|| Error::Locked { stream: site.stream.clone() })
}

fn evict<L: Layout>(site: &Site) -> Result<(), Error> {
    unless_gone(L::evict(site)).map_err(Error::io("drop cached bytes"))
}

/// Checks a stream as the medium holds it, and lifts the mark of a failed sync if it is sound.
pub(super) fn verify<E: Event, L: Layout>(site: &Site) -> Result<Verified, Error> {
    let _lock = lock(site)?;
    evict::<L>(site)?;
    let reading = reading::read::<E, L>(site, Head::default())?;
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
    let events = reading.tail.head.next_event.get();
    Ok(Verified { health, events, torn_tail, mark_lifted })
}

/// Rolls a corrupt stream back to its last whole plan.
///
/// The control file is kept whole in the backup before it is replaced, and segments that are no
/// longer part of the stream are moved there after. A crash in between leaves the stream as it was
/// or repaired, with segments that nothing attests.
pub(super) fn repair<E: Event, L: Layout>(site: &Site) -> Result<Repaired, Error> {
    let _lock = lock(site)?;
    evict::<L>(site)?;
    let reading = reading::read::<E, L>(site, Head::default())?;
    let head = reading.tail.head;
    let Ending::Broken { health: was, .. } = reading.ending else {
        return Ok(Repaired { was: Health::Healthy, next_event: head.next_event, backup: None });
    };
    if let Health::UnknownVersion { version, .. } = was {
        let known = u64::from(crate::record::VERSION);
        return Err(Error::UnsupportedVersion { what: "the stream", found: version, known });
    }
    let backup = roll_back::<L>(site, head).map_err(Error::io("repair a stream"))?;
    Ok(Repaired { was, next_event: head.next_event, backup: Some(backup) })
}

fn roll_back<L: Layout>(site: &Site, head: Head) -> io::Result<String> {
    let disk = site.disk().as_ref();
    let name = free_name(disk, &site.dir, "repair")?;
    let backup = site.dir.join(&name);
    disk.create_dir(&backup)?;
    let old = site.control_from(0)?;
    write_new(disk, &backup.join(L::CONTROL), &old)?;
    disk.sync_dir(&backup)?;
    disk.sync_dir(&site.dir)?;
    let valid = usize::try_from(head.position).unwrap_or(old.len()).min(old.len());
    let temporary = site.dir.join("repair.tmp");
    replace(disk, &site.control, &temporary, &old[..valid])?;
    for file in L::files_behind(site, head)? {
        let target = backup.join(file.rsplit('/').next().unwrap_or(&file));
        disk.rename(&site.dir.join(&file), &target)?;
    }
    disk.sync_dir(&backup)?;
    Ok(name)
}

/// Removes a stream whose lock is held: it disappears in one step, and is then emptied.
pub(super) fn delete(site: &Site) -> Result<(), Error> {
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
