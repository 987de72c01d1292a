//! Rebuilds the database from what can still be read of a damaged one.
//!
//! The damaged files are copied to `damaged/table-<n>.partial` before anything else happens. A new database is made
//! from the copy and takes the place of the old one, and then the copy loses its suffix. A repair that finds such a copy
//! goes on from it only if the database itself is gone: else that one may have commits that the copy lacks, and is what
//! counts. So a crash at any moment loses nothing, and neither does using Piton before the next repair.
//!
//! [`Salvage`] finds the entries. If the schema itself is gone, the first page is taken from a new database: both have
//! the same tables at the same places.
#![expect(clippy::disallowed_methods, reason = "copies database files that no process has open")]

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use rusqlite::Connection;

use super::entries::ALL_ENTRIES;
use super::failure::sql;
use super::salvage::Salvage;
use super::{connection, identity, wal_monitor};
use crate::Error;
use crate::local::DataDir;
use crate::local::file_ops::{names_in, remove_all, unless_gone, with_suffix};

/// Operation named in errors.
pub(super) const OPERATION: &str = "repair the table";

/// The tables of a data directory, in order.
pub(super) const TABLES: [&str; 2] = ["context", "workflow"];

/// Outcome of a repair.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepairedTable {
    /// The damaged database, relative to the data directory; `None` if the database was sound.
    pub aside: Option<String>,
    /// Set when the database is not the one that the data directory had, and is accepted now.
    pub is_accepted: bool,
    /// Number of intact entries.
    pub kept: u64,
    /// Number of places at which entries could not be read.
    pub gaps: u64,
    /// Number of entries that were changed after they were written; they are out of the table now.
    pub damaged: u64,
    /// The first of those, by table and key, for display.
    pub damaged_shown: Vec<String>,
}

/// Makes the database of `dir` sound. The caller must have the data directory to itself. Blocks.
pub fn repair_table(dir: &DataDir) -> Result<RepairedTable, Error> {
    let failed = Error::io(OPERATION);
    let interrupted = unfinished(dir).map_err(Error::io(OPERATION))?;
    let is_current = interrupted.is_some() && is_noted(dir);
    let kept = match interrupted {
        // The database in place is missing, or an empty one that another process created since: nothing was committed
        // after the copy was made.
        Some(kept) if !is_current => kept,
        // The database in place is the old one still, or its replacement already. Either may have commits that the copy
        // does not have, so the copy is only kept.
        interrupted => {
            let aside = interrupted.map(|kept| finish(dir, &kept)).transpose();
            let aside = aside.map_err(Error::io(OPERATION))?;
            if is_sound(&dir.table())? {
                let mut connection = connection::open_writer(&dir.table())?;
                let noted = identity::ensure_noted(dir, &mut connection)?;
                // A sound database that is not the noted one took its place. Running a repair is how a person accepts
                // it.
                let is_accepted = identity::number(&connection)? != noted;
                if is_accepted {
                    identity::accept(dir, &connection)?;
                }
                return Ok(RepairedTable { aside, is_accepted, ..RepairedTable::default() });
            }
            set_aside(dir).map_err(Error::io(OPERATION))?
        }
    };
    let fresh = dir.root().join("table.sqlite3-repaired");
    // The new database gets the noted identity, so that other processes recognise it as this data directory's.
    let done = rebuild(&kept, &fresh, identity::noted(dir)?)?;
    let place = || -> io::Result<String> {
        // The old log must not be taken for a log of the new database. The database goes before its log: without the
        // log it would pass for whole, and whoever opened it would add commits to a state that lacks some.
        remove(&dir.table())?;
        sync_dir(dir.root())?;
        for suffix in ["-wal", "-shm"] {
            remove(&with_suffix(&dir.table(), suffix))?;
        }
        fs::rename(&fresh, dir.table())?;
        sync_dir(dir.root())?;
        finish(dir, &kept)
    };
    let aside = place().map_err(failed)?;
    Ok(RepairedTable { aside: Some(aside), ..done })
}

/// True if a database can be read and has nothing wrong in it. A database of a newer Piton, or one that is in use,
/// cannot be judged and is an error.
fn is_sound(path: &Path) -> Result<bool, Error> {
    let status =
        connection::open_writer(path).and_then(|connection| wal_monitor::status(&connection, path));
    match status {
        Ok(status) => Ok(status.problems.is_empty()),
        Err(error @ Error::UnsupportedVersion { found, known, .. }) if found > known => Err(error),
        Err(error @ Error::Busy { .. }) => Err(error),
        Err(_) => Ok(false),
    }
}

/// True if the database in place is the one that the data directory had, or its replacement, which has the same number.
fn is_noted(dir: &DataDir) -> bool {
    // Opening would create it.
    if fs::symlink_metadata(dir.table()).is_err() {
        return false;
    }
    let number =
        connection::open_writer(&dir.table()).and_then(|connection| identity::number(&connection));
    number.is_ok_and(|number| identity::noted(dir).is_ok_and(|noted| noted == Some(number)))
}

/// Takes the suffix from a copy that no repair needs any more, and returns its name for display.
fn finish(dir: &DataDir, kept: &Path) -> io::Result<String> {
    let whole = kept.with_extension("");
    fs::rename(kept, &whole)?;
    sync_dir(&dir.damaged())?;
    let name = whole.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    Ok(format!("damaged/{name}"))
}

/// Returns the copy that an interrupted repair made.
fn unfinished(dir: &DataDir) -> io::Result<Option<PathBuf>> {
    let names = names_in(dir.disk().as_ref(), &dir.damaged())?;
    let partial = names.iter().filter(|name| name.ends_with(".partial")).min();
    Ok(partial.map(|name| dir.damaged().join(name)))
}

/// Copies the database's files, durably.
fn set_aside(dir: &DataDir) -> io::Result<PathBuf> {
    dir.disk().create_dir(&dir.damaged())?;
    // Copied under a name that no repair looks for. It becomes a `.partial` only once it is complete and synced.
    let copying = dir.damaged().join("table.copying");
    remove_all(dir.disk().as_ref(), &copying)?;
    dir.disk().create_dir(&copying)?;
    copy_database(&dir.table(), &copying.join("table.sqlite3"))?;
    sync_dir(&copying)?;
    let free = |number: &u32| {
        let taken = |suffix| dir.damaged().join(format!("table-{number}{suffix}")).exists();
        !taken("") && !taken(".partial")
    };
    let number = (1..u32::MAX).find(free).ok_or(io::ErrorKind::AlreadyExists)?;
    let partial = dir.damaged().join(format!("table-{number}.partial"));
    fs::rename(&copying, &partial)?;
    sync_dir(&dir.damaged())?;
    sync_dir(dir.root())?;
    Ok(partial)
}

/// Makes a new database at `fresh` from the one that is kept in `kept`.
fn rebuild(kept: &Path, fresh: &Path, identity: Option<i64>) -> Result<RepairedTable, Error> {
    let failed = || Error::io(OPERATION);
    // An interrupted repair may have left a part of one.
    remove_database(fresh).map_err(failed())?;
    connection::create_file(fresh)?;
    let mut to = connection::open_writer(fresh)?;
    // It takes the place of the database that is noted.
    if let Some(identity) = identity {
        to.execute("UPDATE meta SET value = ?1 WHERE name = 'identity'", [identity])
            .map_err(sql(OPERATION))?;
    }
    connection::fold(&to).map_err(sql(OPERATION))?;
    // SQLite changes what it opens, so the kept files are copied once more.
    let work = kept.join("work.sqlite3");
    remove_database(&work).map_err(failed())?;
    copy_database(&kept.join("table.sqlite3"), &work).map_err(failed())?;
    // A copy with an older schema is migrated like any other database, if that is possible.
    let mut from = match connection::open_writer(&work) {
        Ok(from) => connection::only_reads(from),
        Err(_) => connection::open_as_it_is(&work),
    };
    let has_own_header = from.as_ref().is_ok_and(can_be_read);
    // Without a readable schema SQLite refuses the whole file. A new first page makes the rest accessible.
    if !has_own_header {
        drop(from);
        take_first_page(fresh, &work).map_err(failed())?;
        from = connection::open_as_it_is(&work);
    }
    // If both numbers are known and differ, the damaged file was another database than the noted one.
    let found = from.as_ref().ok().and_then(|from| identity::number(from).ok());
    let is_accepted = identity.is_some() && found.is_some() && found != identity;
    let mut salvage = Salvage::begin(&mut to, kept).map_err(failed())?;
    salvage.run(from.as_ref().ok(), &work, has_own_header)?;
    let done = RepairedTable { is_accepted, ..salvage.end()? };
    drop(from);
    // The new database must be a single file before it is renamed: its log would not move along.
    connection::fold(&to).map_err(sql(OPERATION))?;
    to.close().map_err(|(_, error)| sql(OPERATION)(error))?;
    remove_database(&work).map_err(failed())?;
    fs::File::open(fresh).and_then(|file| file.sync_all()).map_err(failed())?;
    Ok(done)
}

/// True if a database's schema can be read, and the query for its entries can be prepared.
fn can_be_read(connection: &Connection) -> bool {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).is_ok()
        && connection.prepare(ALL_ENTRIES).is_ok()
}

/// Gives a database the first page of a new one, which holds the schema.
fn take_first_page(fresh: &Path, damaged: &Path) -> io::Result<()> {
    /// Offsets in the header of the number of pages, and of the start of the list of unused pages.
    const PAGES_AT: usize = 28;
    const UNUSED_AT: usize = 32;
    let new = fs::read(fresh)?;
    let page_len = match u16::from_be_bytes([new[16], new[17]]) {
        1 => 65_536, // tidy: number: SQLite writes its largest page as 1
        length => usize::from(length),
    };
    let mut page = new[..page_len].to_vec();
    let damaged = fs::OpenOptions::new().write(true).open(damaged)?;
    let pages = damaged.metadata()?.len() / page_len as u64;
    let pages = u32::try_from(pages).unwrap_or(u32::MAX);
    // The new header describes the new file, so the size is corrected. The list of unused pages is emptied: the new
    // file's list would point at pages that are in use here.
    page[PAGES_AT..PAGES_AT + 4].copy_from_slice(&pages.to_be_bytes());
    page[UNUSED_AT..UNUSED_AT + 8].fill(0);
    damaged.write_all_at(&page, 0)
}

/// Copies the files of a database, itself and its write-ahead log, and syncs the copies.
fn copy_database(from: &Path, to: &Path) -> io::Result<()> {
    for suffix in ["", "-wal"] {
        let (from, to) = (with_suffix(from, suffix), with_suffix(to, suffix));
        if fs::symlink_metadata(&from).is_ok() {
            fs::copy(&from, &to)?;
            fs::File::open(&to)?.sync_all()?;
        }
    }
    Ok(())
}

/// Removes all files of a database that is not in use.
fn remove_database(path: &Path) -> io::Result<()> {
    ["", "-wal", "-shm"].iter().try_for_each(|suffix| remove(&with_suffix(path, suffix)))
}

fn remove(path: &Path) -> io::Result<()> {
    unless_gone(fs::remove_file(path))
}

fn sync_dir(path: &Path) -> io::Result<()> {
    fs::File::open(path)?.sync_all()
}
