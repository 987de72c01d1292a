//! Finds the entries of a damaged database, as far as they can still be read, and writes them into a new one.
//!
//! Entries are read directly from the pages of the file, so that those on intact pages are found whatever leads to
//! them. A page that is no longer in use still has entries that were removed. If the list of those pages is damaged,
//! entries are read in the order of their keys instead: where the database cannot be read, the repair searches by keys
//! for the next place from which it can, reads the entries before that place backwards, and takes only what is left in
//! between from the pages.
//!
//! An entry that does not match its checksum is left out. It is in the copy, and again in a file beside that, together
//! with the keys around each place that could not be read.
//!
//! *Limitations*: an entry of the first version of the schema that was never written again has no checksum and is kept
//! as it is; the user of a value checks it. Where both the list of unused pages and the path to an entry are damaged, a
//! removed entry may come back.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::connection::fold;
use super::entries::{ALL_ENTRIES, display_key, is_whole};
use super::failure::sql;
use super::pages::{self, Pages};
use super::repair::{OPERATION, RepairedTable, TABLES};
use super::taken_out::{self, Gap};
use crate::Error;
use crate::bounds::{TABLE_DAMAGED_SHOWN_MAX, TABLE_PROBES_MAX, TABLE_SALVAGE_ROWS};
use crate::local::sqlite::VERSION_QUERY;

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

/// The entries of a damaged database on their way into a new one.
pub(super) struct Salvage<'a> {
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
    pub(super) fn begin(to: &'a mut Connection, aside: &'a Path) -> io::Result<Self> {
        // An interrupted repair may have written some of it.
        taken_out::clear(aside)?;
        let (done, damaged) = (RepairedTable::default(), HashSet::new());
        Ok(Self { to, aside, done, newest: 0, damaged })
    }

    /// Copies every intact entry from the file `work`, which is open as `from` unless SQLite refuses it. Only the
    /// file's own header says which pages are unused: without it, removed entries could come back from those.
    pub(super) fn run(
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
        taken_out::keep_gaps(self.aside, &gaps).map_err(Error::io(OPERATION))?;
        self.done.gaps = gaps.len() as u64;
        // The counter may have been ahead of every entry that was found.
        if let Some(from) = from {
            let version: Option<u64> =
                from.query_row(VERSION_QUERY, [], |row| row.get(0)).optional().unwrap_or(None);
            self.newest = self.newest.max(version.unwrap_or(0));
        }
        Ok(())
    }

    pub(super) fn end(self) -> Result<RepairedTable, Error> {
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
        taken_out::keep_entries(self.aside, &damaged).map_err(Error::io(OPERATION))?;
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

/// Reads entries behind `last` as far as possible. Returns them, and true if nothing was in the way.
fn forwards(from: &Connection, last: Option<&EntryPosition>) -> (Vec<StoredEntry>, bool) {
    let (table, key) = place_or_start(last);
    let query =
        format!("{ALL_ENTRIES} WHERE (\"table\", key) > (?1, ?2) ORDER BY \"table\", key LIMIT ?3");
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
        "{ALL_ENTRIES} WHERE (\"table\", key) < (?3, ?4) AND (\"table\", key) > (?1, ?2) \
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
        let query = format!(
            "{ALL_ENTRIES} WHERE (\"table\", key) >= (?1, ?2) ORDER BY \"table\", key LIMIT 1"
        );
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
