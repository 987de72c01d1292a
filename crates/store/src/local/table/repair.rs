//! Rebuilds the database from what can still be read of a damaged one.
//!
//! The damaged files are copied to `damaged/table-<n>.partial` before anything else happens. A new database is made
//! from the copy and takes the place of the old one, and then the copy loses its suffix. A repair that finds such a copy
//! goes on from it only if the database itself is gone: else that one may have commits that the copy lacks, and is what
//! counts. So a crash at any moment loses nothing, and neither does using Piton before the next repair.
//!
//! Entries are read directly from the pages of the file, so that those on intact pages are found whatever leads to
//! them. A page that is no longer in use still has entries that were removed. If the list of those pages is damaged,
//! entries are read in the order of their keys instead: where the database cannot be read, the repair searches by keys
//! for the next place from which it can, reads the entries before that place backwards, and takes only what is left in
//! between from the pages. If the schema itself is gone, the first page is taken from a new database: both have the
//! same tables at the same places.
//!
//! An entry that does not match its checksum is left out. It is in the copy, and again in a file beside that, together
//! with the keys around each place that could not be read.
//!
//! *Limitations*: an entry of the first version of the schema that was never written again has no checksum and is kept
//! as it is; the user of a value checks it. Where both the list of unused pages and the path to an entry are damaged, a
//! removed entry may come back.
#![expect(clippy::disallowed_methods, reason = "copies database files that no process has open")]

use std::collections::HashSet;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::entries::{self, display_key, is_whole};
use super::failure::sql;
use super::pages::{self, Pages};
use super::set_aside::{self, Gap};
use super::{connection, identity, wal_monitor};
use crate::Error;
use crate::bounds::{TABLE_DAMAGED_SHOWN_MAX, TABLE_PROBES_MAX, TABLE_SALVAGE_ROWS};
use crate::local::DataDir;

const OPERATION: &str = "repair the table";

/// Suffixes of the files of a database: itself, and its write-ahead log.
const SUFFIXES: [&str; 2] = ["", "-wal"];

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

/// An entry's table and key, which determine its place in the database.
pub(super) type EntryPosition = (String, Vec<u8>);

/// An entry as the database holds it, intact or not.
pub(super) struct StoredEntry {
    pub(super) place: EntryPosition,
    pub(super) value: Vec<u8>,
    pub(super) version: u64,
    pub(super) checksum: Option<i32>,
}

impl StoredEntry {
    pub(super) fn is_whole(&self) -> bool {
        let (table, key) = &self.place;
        is_whole(table, key, &self.value, self.version, self.checksum)
    }
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
    let names = super::super::files::names_in(dir.disk().as_ref(), &dir.damaged())?;
    let partial = names.iter().filter(|name| name.ends_with(".partial")).min();
    Ok(partial.map(|name| dir.damaged().join(name)))
}

/// Copies the database's files, durably.
fn set_aside(dir: &DataDir) -> io::Result<PathBuf> {
    dir.disk().create_dir(&dir.damaged())?;
    // Copied under a name that no repair looks for. It becomes a `.partial` only once it is complete and synced.
    let copying = dir.damaged().join("table.copying");
    super::super::files::remove_all(dir.disk().as_ref(), &copying)?;
    dir.disk().create_dir(&copying)?;
    for suffix in SUFFIXES {
        let from = with_suffix(&dir.table(), suffix);
        if fs::symlink_metadata(&from).is_ok() {
            let to = with_suffix(&copying.join("table.sqlite3"), suffix);
            fs::copy(&from, &to)?;
            fs::File::open(&to)?.sync_all()?;
        }
    }
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
    for suffix in ["", "-wal", "-shm"] {
        remove(&with_suffix(fresh, suffix)).map_err(failed())?;
    }
    connection::create_file(fresh)?;
    let mut to = connection::open_writer(fresh)?;
    // It takes the place of the database that is noted.
    if let Some(identity) = identity {
        to.execute("UPDATE meta SET value = ?1 WHERE name = 'identity'", [identity])
            .map_err(sql(OPERATION))?;
    }
    fold(&to).map_err(sql(OPERATION))?;
    // SQLite changes what it opens, so the kept files are copied once more.
    let work = kept.join("work.sqlite3");
    let copy = || -> io::Result<()> {
        for suffix in ["", "-wal", "-shm"] {
            remove(&with_suffix(&work, suffix))?;
        }
        for suffix in SUFFIXES {
            let from = with_suffix(&kept.join("table.sqlite3"), suffix);
            if fs::symlink_metadata(&from).is_ok() {
                fs::copy(&from, with_suffix(&work, suffix))?;
            }
        }
        Ok(())
    };
    copy().map_err(failed())?;
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
    fold(&to).map_err(sql(OPERATION))?;
    to.close().map_err(|(_, error)| sql(OPERATION)(error))?;
    let tidy = || -> io::Result<()> {
        for suffix in ["", "-wal", "-shm"] {
            remove(&with_suffix(&work, suffix))?;
        }
        fs::File::open(fresh)?.sync_all()
    };
    tidy().map_err(failed())?;
    Ok(done)
}

/// True if a database's schema can be read, and the query for its entries can be prepared.
fn can_be_read(connection: &Connection) -> bool {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).is_ok()
        && connection.prepare(FIRST).is_ok()
}

/// Folds the write-ahead log of a database into it.
fn fold(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
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

/// The entries of a damaged database on their way into a new one.
struct Salvage<'a> {
    to: &'a mut Connection,
    /// Directory for what is left out.
    aside: &'a Path,
    done: RepairedTable,
    /// Highest version met so far.
    newest: u64,
    /// Tables and keys of damaged entries, so that each is counted once.
    damaged: HashSet<EntryPosition>,
}

impl<'a> Salvage<'a> {
    fn begin(to: &'a mut Connection, aside: &'a Path) -> io::Result<Self> {
        // An interrupted repair may have written some of it.
        set_aside::clear(aside)?;
        let (done, damaged) = (RepairedTable::default(), HashSet::new());
        Ok(Self { to, aside, done, newest: 0, damaged })
    }

    /// Copies every intact entry from the file `work`, which is open as `from` unless SQLite refuses it. Only the
    /// file's own header says which pages are unused: without it, removed entries could come back from those.
    fn run(
        &mut self,
        from: Option<&Connection>,
        work: &Path,
        has_own_header: bool,
    ) -> Result<(), Error> {
        // The pages are read from the file alone, so they show everything only once the log is folded in.
        let is_folded = from.is_some_and(|from| fold(from).is_ok());
        let pages = Pages::open(work);
        let unused = match &pages {
            Ok(pages) if is_folded && has_own_header => {
                pages.unused().map_err(Error::io(OPERATION))?
            }
            _ => None,
        };
        let gaps = match (pages, unused) {
            (Ok(pages), Some(unused)) => self.by_pages(&pages, &unused, None)?,
            (pages, _) => {
                // Which pages are unused is not known. Keys are trusted first, because the tree leads only to entries
                // that exist.
                let gaps = match from {
                    Some(from) => self.by_keys(from)?,
                    None => vec![(None, None)],
                };
                // Inside the gaps even unused pages are read: an entry that comes back is better than one that is lost.
                if let (Ok(pages), false) = (pages, gaps.is_empty()) {
                    self.by_pages(&pages, &HashSet::new(), Some(&gaps))?;
                }
                gaps
            }
        };
        set_aside::keep_gaps(self.aside, &gaps).map_err(Error::io(OPERATION))?;
        self.done.gaps = gaps.len() as u64;
        // The counter may have been ahead of every entry that was found.
        if let Some(from) = from {
            let version: Option<u64> =
                from.query_row(entries::VERSION, [], |row| row.get(0)).optional().unwrap_or(None);
            self.newest = self.newest.max(version.unwrap_or(0));
        }
        Ok(())
    }

    fn end(self) -> Result<RepairedTable, Error> {
        // No version may be used twice, not even that of an entry that is lost, so the counter jumps far ahead.
        let version = self.newest + (1 << 20);
        self.to
            .execute("UPDATE meta SET value = ?1 WHERE name = 'version'", [version])
            .map_err(sql(OPERATION))?;
        let count = "SELECT count(*) FROM entries";
        let kept = self.to.query_row(count, [], |row| row.get(0)).map_err(sql(OPERATION))?;
        Ok(RepairedTable { kept, ..self.done })
    }

    /// Copies the intact entries, and keeps the others aside.
    fn keep(&mut self, found: Vec<StoredEntry>) -> Result<(), Error> {
        let (whole, mut damaged): (Vec<_>, Vec<_>) =
            found.into_iter().partition(StoredEntry::is_whole);
        // The same entry can be met twice: by its key and on its page.
        damaged.retain(|found| self.damaged.insert(found.place.clone()));
        set_aside::keep_entries(self.aside, &damaged).map_err(Error::io(OPERATION))?;
        self.done.damaged += damaged.len() as u64;
        let room = TABLE_DAMAGED_SHOWN_MAX - self.done.damaged_shown.len();
        let names = damaged.iter().map(|StoredEntry { place: (table, key), .. }| {
            format!("{table}: {}", display_key(key))
        });
        self.done.damaged_shown.extend(names.take(room));
        let transaction = self.to.transaction().map_err(sql(OPERATION))?;
        for StoredEntry { place: (table, key), value, version, checksum } in whole {
            self.newest = self.newest.max(version);
            // If an entry is found twice, the newer one counts.
            let insert = "INSERT INTO entries (\"table\", key, value, commit_number, checksum) \
                          VALUES (?1, ?2, ?3, ?4, ?5) \
                          ON CONFLICT DO UPDATE SET value = excluded.value, \
                          commit_number = excluded.commit_number, checksum = excluded.checksum \
                          WHERE excluded.commit_number > commit_number";
            let inserted =
                transaction.execute(insert, params![table, key, value, version, checksum]);
            inserted.map_err(sql(OPERATION))?;
        }
        transaction.commit().map_err(sql(OPERATION))
    }

    /// Takes entries from the pages that are in use: all of them, or those in `gaps`. Returns the places where some are
    /// missing.
    fn by_pages(
        &mut self,
        pages: &Pages,
        unused: &HashSet<u32>,
        gaps: Option<&[Gap]>,
    ) -> Result<Vec<Gap>, Error> {
        let is_in = |(after, before): &Gap, place: &EntryPosition| {
            after.as_ref().is_none_or(|after| after < place)
                && before.as_ref().is_none_or(|before| place < before)
        };
        let (mut spans, mut found) = (Vec::new(), Vec::new());
        let (mut has_page, mut cells) = (false, 0);
        for number in pages.numbers().filter(|number| !unused.contains(number)) {
            let Some(page) = pages.read(number).map_err(Error::io(OPERATION))? else { continue };
            (has_page, cells) = (true, cells + page.cells);
            spans.extend(page.spans);
            found.extend(page.entries.into_iter().filter(|entry| {
                gaps.is_none_or(|gaps| gaps.iter().any(|gap| is_in(gap, &entry.place)))
            }));
            // Written in parts, so that a database of any size takes little memory.
            if found.len() >= TABLE_SALVAGE_ROWS {
                self.keep(std::mem::take(&mut found))?;
            }
        }
        self.keep(found)?;
        // An empty tree has one page without cells; that nothing was found there is not a gap.
        let is_empty = has_page && cells == 0;
        Ok(if is_empty { Vec::new() } else { pages::gaps(spans) })
    }

    /// Reads entries in the order of their keys. Returns the places where that was not possible.
    fn by_keys(&mut self, from: &Connection) -> Result<Vec<Gap>, Error> {
        let (mut gaps, mut probes) = (Vec::new(), 0);
        let mut last: Option<EntryPosition> = None;
        loop {
            let (found, is_whole) = forwards(from, last.as_ref());
            let reached = found.last().map(|found| found.place.clone());
            let is_end = is_whole && found.len() < TABLE_SALVAGE_ROWS;
            last = reached.or(last);
            self.keep(found)?;
            // A full batch without an error: there is more to read.
            if is_whole && !is_end {
                continue;
            }
            if is_end {
                return Ok(gaps);
            }
            match resume(from, last.as_ref(), &mut probes) {
                Resume::From(next) => {
                    // From the other side, entries right behind the damage can often be read too, so the gap becomes
                    // smaller.
                    let before = backwards(from, Some(&next.place), last.as_ref());
                    let end = before.last().unwrap_or(&next).place.clone();
                    gaps.push((last, Some(end)));
                    last = Some(next.place.clone());
                    self.keep(before)?;
                    self.keep(vec![next])?;
                }
                Resume::After(place) => {
                    // The entry itself is in the gap, and the first possible key behind it is the same with one more
                    // byte.
                    let behind = (place.0.clone(), [&place.1[..], &[0]].concat());
                    gaps.push((last, Some(behind)));
                    last = Some(place);
                }
                Resume::Nowhere => {
                    let before = backwards(from, None, last.as_ref());
                    gaps.push((last, before.last().map(|found| found.place.clone())));
                    self.keep(before)?;
                    return Ok(gaps);
                }
            }
        }
    }
}

/// Query for entries, in the order of tables and keys.
pub(super) const FIRST: &str = "SELECT \"table\", key, value, commit_number, checksum FROM entries";

/// Reads entries behind `last` as far as possible. Returns them, and true if nothing was in the way.
fn forwards(from: &Connection, last: Option<&EntryPosition>) -> (Vec<StoredEntry>, bool) {
    let (table, key) = place_or_start(last);
    let query =
        format!("{FIRST} WHERE (\"table\", key) > (?1, ?2) ORDER BY \"table\", key LIMIT ?3");
    let mut found = Vec::new();
    let mut read = || -> rusqlite::Result<()> {
        let mut statement = from.prepare_cached(&query)?;
        let mut rows = statement.query(params![table, key, TABLE_SALVAGE_ROWS])?;
        while let Some(row) = rows.next()? {
            let entry = entry(row)?;
            // A damaged tree that leads back to itself would be read forever.
            let before = found.last().map(|found: &StoredEntry| &found.place).or(last);
            if before.is_some_and(|before| entry.place <= *before) {
                return Err(rusqlite::Error::QueryReturnedNoRows);
            }
            found.push(entry);
        }
        Ok(())
    };
    let is_whole = read().is_ok();
    (found, is_whole)
}

/// Reads entries between `after` and `before` from the end on, as far as possible.
fn backwards(
    from: &Connection,
    before: Option<&EntryPosition>,
    after: Option<&EntryPosition>,
) -> Vec<StoredEntry> {
    let (table, key) = place_or_start(after);
    let (end_table, end_key) = match before {
        Some((table, key)) => (table.as_str(), key.as_slice()),
        // No table has a name that sorts behind this one.
        None => ("~", [].as_slice()),
    };
    let query = format!(
        "{FIRST} WHERE (\"table\", key) < (?3, ?4) AND (\"table\", key) > (?1, ?2) \
         ORDER BY \"table\" DESC, key DESC"
    );
    let mut found = Vec::new();
    let mut read = || -> rusqlite::Result<()> {
        let mut statement = from.prepare_cached(&query)?;
        let mut rows = statement.query(params![table, key, end_table, end_key])?;
        while let Some(row) = rows.next()? {
            found.push(entry(row)?);
        }
        Ok(())
    };
    // Whatever is in the way here was already met from the other side.
    let _: rusqlite::Result<()> = read();
    found
}

/// The point at which reading resumes behind a place that cannot be read.
enum Resume {
    /// Resume at this entry.
    From(StoredEntry),
    /// Resume behind this key: only its value cannot be read.
    After(EntryPosition),
    Nowhere,
}

fn resume(from: &Connection, last: Option<&EntryPosition>, probes: &mut u32) -> Resume {
    let (table, key) = place_or_start(last);
    // Keys and short values stand on the page itself, long values on overflow pages. So the key may be readable
    // although its value is not.
    let next = "SELECT \"table\", key FROM entries WHERE (\"table\", key) > (?1, ?2) \
                ORDER BY \"table\", key LIMIT 1";
    let next = from.query_row(next, params![table, key], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?))
    });
    let is_behind = |place: &EntryPosition| last.is_none_or(|last| place > last);
    if let Ok(place) = next
        && is_behind(&place)
    {
        return Resume::After(place);
    }
    for (table, key) in candidates(table, key) {
        *probes += 1;
        // A badly damaged file could be probed for hours; the pages find what is left.
        if *probes > TABLE_PROBES_MAX {
            break;
        }
        let query =
            format!("{FIRST} WHERE (\"table\", key) >= (?1, ?2) ORDER BY \"table\", key LIMIT 1");
        match from.query_row(&query, params![table, key], entry) {
            Ok(found) if is_behind(&found.place) => return Resume::From(found),
            // The database itself says that nothing follows.
            Err(rusqlite::Error::QueryReturnedNoRows) => return Resume::Nowhere,
            Ok(_) | Err(_) => {}
        }
    }
    Resume::Nowhere
}

/// Returns places behind `key` of `table`, the nearest first: each prefix of the key, longest first, with a larger last
/// byte, then the beginnings of the tables behind it.
fn candidates<'a>(table: &'a str, key: &'a [u8]) -> impl Iterator<Item = EntryPosition> + use<'a> {
    let in_table = (0..key.len()).rev().flat_map(move |at| {
        (key[at]..=u8::MAX).skip(1).map(move |byte| {
            let mut candidate = key[..at].to_vec();
            candidate.push(byte);
            (table.to_owned(), candidate)
        })
    });
    let behind = TABLES
        .into_iter()
        .filter(move |name| *name > table)
        .flat_map(|name| (0..=u8::MAX).map(move |byte| (name.to_owned(), vec![byte])));
    in_table.chain(behind)
}

fn place_or_start(place: Option<&EntryPosition>) -> (&str, &[u8]) {
    place.map_or(("", &[]), |(table, key)| (table, key))
}

fn entry(row: &Row<'_>) -> rusqlite::Result<StoredEntry> {
    let place = (row.get(0)?, row.get(1)?);
    Ok(StoredEntry { place, value: row.get(2)?, version: row.get(3)?, checksum: row.get(4)? })
}

/// Returns `path` with a suffix added to its file name.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn remove(path: &Path) -> io::Result<()> {
    super::super::files::unless_gone(fs::remove_file(path))
}

fn sync_dir(path: &Path) -> io::Result<()> {
    fs::File::open(path)?.sync_all()
}
