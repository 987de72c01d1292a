//! Act five: one byte of a copy is flipped.
#![expect(clippy::disallowed_methods, reason = "copies and damages files for the demo")]

use std::{fs, io, path::Path};

use piton_store::{Error, StreamId};

use super::{facts::Damaged, store::Store};
use crate::failure::Failure;

/// Which segment is damaged, counted from zero: there are whole ones before it and after it.
const SEGMENT: usize = 2;

/// Copies the session into a data directory of its own, damages the copy, and tries to load it.
pub(super) fn play(store: &Store, session: &StreamId) -> Result<Damaged, Failure> {
    let failed = Failure::io("copy the session");
    let temporary = tempfile::tempdir().map_err(Failure::io("make a temporary directory"))?;
    let copy = Store::open(temporary.path())?;
    let directory = copy.session_directory(session);
    copy_directory(&store.session_directory(session), &directory).map_err(failed)?;
    let (file, byte) =
        flip_a_byte(&directory.join("events")).map_err(Failure::io("damage the copy"))?;
    match copy.load(session) {
        Err(Failure::Store(error @ Error::NotHealthy { .. })) => Ok(Damaged {
            file,
            byte,
            error: error.envelope(),
            readable_events: copy.readable(session)?,
        }),
        Err(other) => Err(other),
        Ok(_) => Err(Failure::BrokenPromise("a flipped byte was not noticed".into())),
    }
}

fn copy_directory(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_directory(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Flips a byte in the middle of a segment; returns its name and the byte's place.
fn flip_a_byte(events: &Path) -> io::Result<(String, usize)> {
    let mut names = Vec::new();
    for entry in fs::read_dir(events)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        // What has another ending is a write that was cut short, and no segment.
        names.extend(name.filter(|_| path.extension().is_some_and(|ending| ending == "jsonl")));
    }
    names.sort_unstable();
    let name = names.into_iter().nth(SEGMENT).ok_or(io::ErrorKind::NotFound)?;
    let path = events.join(&name);
    let mut bytes = fs::read(&path)?;
    let place = bytes.len() / 2;
    bytes[place] ^= 1;
    fs::write(path, bytes)?;
    Ok((name, place))
}
