//! Entries that repairs took out of the database, as JSON lines in files beside the damaged one.
//!
//! `entries.jsonl` holds each entry that was not as it had been written. `gaps.jsonl` holds the keys before and behind
//! each place that could not be read. A person can read both.
#![expect(clippy::disallowed_methods, reason = "files that SQLite does not use")]

use std::fs;
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::repair::TABLES;
use super::salvage::{EntryPosition, StoredEntry};
use crate::bounds::{TABLE_PAGE_BYTES_MAX, TABLE_SALVAGE_ROWS};
use crate::local::DataDir;
use crate::local::file_ops::unless_gone;
use crate::port::{Key, TakenOut};
use crate::threads::nearby;
use crate::{Error, LeaseName};

const ENTRIES: &str = "entries.jsonl";
const GAPS: &str = "gaps.jsonl";

/// Maximum length of a line: the largest value that a page of a database could claim, as text.
const LINE_BYTES_MAX: u64 = 2 * TABLE_PAGE_BYTES_MAX as u64;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EntryLine {
    table: String,
    key: String,
    value_base64: String,
    version: u64,
}

#[derive(Serialize, Deserialize)]
struct GapLine {
    after: Option<PlaceText>,
    before: Option<PlaceText>,
}

#[derive(Serialize, Deserialize)]
struct PlaceText {
    table: String,
    key: String,
}

impl From<&EntryPosition> for PlaceText {
    fn from((table, key): &EntryPosition) -> Self {
        Self { table: table.clone(), key: key.escape_ascii().to_string() }
    }
}

/// A place that could not be read: the last entry before it and the first behind it.
pub(super) type Gap = (Option<EntryPosition>, Option<EntryPosition>);

/// Removes what an interrupted repair wrote in `aside`.
pub(super) fn clear(aside: &Path) -> io::Result<()> {
    for name in [ENTRIES, GAPS] {
        unless_gone(fs::remove_file(aside.join(name)))?;
    }
    Ok(())
}

/// Adds entries to what is kept in `aside`, durably.
pub(super) fn keep_entries(aside: &Path, entries: &[StoredEntry]) -> io::Result<()> {
    let lines =
        entries.iter().map(|StoredEntry { place: (table, key), value, version, .. }| EntryLine {
            table: table.clone(),
            key: key.escape_ascii().to_string(),
            value_base64: STANDARD.encode(value),
            version: *version,
        });
    add(&aside.join(ENTRIES), lines)
}

/// Adds gaps to what is kept in `aside`, durably.
pub(super) fn keep_gaps(aside: &Path, gaps: &[Gap]) -> io::Result<()> {
    let text = |place: &Option<EntryPosition>| place.as_ref().map(PlaceText::from);
    let lines =
        gaps.iter().map(|(after, before)| GapLine { after: text(after), before: text(before) });
    add(&aside.join(GAPS), lines)
}

fn add(path: &Path, lines: impl ExactSizeIterator<Item = impl Serialize>) -> io::Result<()> {
    if lines.len() == 0 {
        return Ok(());
    }
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, &line)?;
        text.push(b'\n');
    }
    // Appended batch by batch. A repair that starts over clears both files first, so nothing is there twice.
    let mut options = fs::OpenOptions::new();
    let mut file = options.create(true).append(true).mode(0o600).open(path)?;
    file.write_all(&text)?;
    file.sync_all()
}

/// The directory in which repairs keep what they took out of one table.
#[derive(Clone)]
pub(super) struct SetAsideDir {
    damaged: Arc<Path>,
    table: LeaseName,
}

impl SetAsideDir {
    pub(super) fn new(dir: &DataDir, table: &LeaseName) -> Self {
        Self { damaged: dir.damaged().into(), table: table.clone() }
    }

    /// Visits everything that is kept, reading a bounded part at a time.
    pub(super) async fn each(&self, visit: &mut (dyn FnMut(TakenOut) + Send)) -> Result<(), Error> {
        let own = self.clone();
        let mut reading = nearby(move || own.begin().map_err(failed)).await?;
        loop {
            let (rest, found) =
                nearby(move || reading.page().map(|found| (reading, found)).map_err(failed))
                    .await?;
            found.into_iter().for_each(&mut *visit);
            // No file is open and none is left, so everything was shown.
            match rest {
                SetAsideReader { file: None, files, .. } if files.is_empty() => return Ok(()),
                rest => reading = rest,
            }
        }
    }

    fn begin(self) -> io::Result<SetAsideReader> {
        let mut files = Vec::new();
        let listed = match fs::read_dir(&self.damaged) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            listed => Some(listed?),
        };
        for entry in listed.into_iter().flatten() {
            let entry = entry?;
            if entry.file_name().as_encoded_bytes().starts_with(b"table-") {
                files.extend([ENTRIES, GAPS].map(|name| entry.path().join(name)));
            }
        }
        Ok(SetAsideReader { table: self.table, files, file: None })
    }
}

fn failed(error: io::Error) -> Error {
    Error::io("read what a repair keeps in damaged/ (remove it there if you no longer need it)")(
        error,
    )
}

/// The files that are left to read, and the one that is being read.
struct SetAsideReader {
    table: LeaseName,
    files: Vec<PathBuf>,
    file: Option<io::BufReader<fs::File>>,
}

impl SetAsideReader {
    fn page(&mut self) -> io::Result<Vec<TakenOut>> {
        let mut found = Vec::new();
        let mut bytes = 0;
        let mut line = Vec::new();
        // Bounded by count and by bytes: the files are as large as the damage was.
        while found.len() < TABLE_SALVAGE_ROWS && bytes < TABLE_PAGE_BYTES_MAX {
            // No file is open: the next one is opened, or there is none left.
            let Some(file) = &mut self.file else {
                let Some(path) = self.files.pop() else { break };
                self.file = match fs::File::open(path) {
                    // A repair that found nothing to keep wrote no such file.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                    opened => Some(io::BufReader::new(opened?)),
                };
                continue;
            };
            line.clear();
            if file.take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
                self.file = None;
                continue;
            }
            bytes += line.len();
            found.extend(parse(&line, self.table.as_str())?);
        }
        Ok(found)
    }
}

/// Parses a line. Returns `None` if it does not concern this table; a line that is not ours is an error.
fn parse(line: &[u8], table: &str) -> io::Result<Option<TakenOut>> {
    if let Ok(EntryLine { table: of, key, value_base64, .. }) = serde_json::from_slice(line) {
        // The name of the table may be what is damaged, so an entry of an unknown table counts for every table.
        let is_own = of == table || !TABLES.contains(&of.as_str());
        let value = STANDARD.decode(value_base64).map_err(|_| io::ErrorKind::InvalidData)?;
        let key = unescape(&key)?.into();
        return Ok(is_own.then_some(TakenOut::Entry { key, value }));
    }
    let GapLine { after, before } = serde_json::from_slice(line)?;
    // A gap may span several tables. Its ends limit it only in the tables that they belong to.
    let is_outside = after.as_ref().is_some_and(|after| after.table.as_str() > table)
        || before.as_ref().is_some_and(|before| before.table.as_str() < table);
    if is_outside {
        return Ok(None);
    }
    let own = |end: Option<PlaceText>| -> io::Result<Option<Key>> {
        let end = end.filter(|end| end.table == table);
        Ok(end.map(|end| unescape(&end.key)).transpose()?.map(Key::from))
    };
    Ok(Some(TakenOut::Range { after: own(after)?, before: own(before)? }))
}

/// Reverses the escaping of bytes as ASCII.
fn unescape(text: &str) -> io::Result<Vec<u8>> {
    unescaped(text).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b't' => b'\t',
            b'r' => b'\r',
            b'n' => b'\n',
            b'x' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_comes_back_from_its_text() {
        let key: Vec<u8> = (0..=u8::MAX).collect();
        assert_eq!(unescaped(&key.escape_ascii().to_string()), Some(key));
        assert_eq!((unescaped("\\x4"), unescaped("\\")), (None, None));
    }

    #[test]
    fn a_gap_covers_what_lay_in_it_of_each_table() {
        let place = |table: &str, key: &str| Some((table.to_owned(), key.as_bytes().to_vec()));
        let cases = [
            ((None, None), "context", "k", true),
            ((place("context", "b"), place("context", "d")), "context", "c", true),
            ((place("context", "b"), place("context", "d")), "context", "b", false),
            ((place("context", "b"), place("context", "d")), "workflow", "c", false),
            ((place("context", "b"), place("workflow", "d")), "context", "z", true),
            ((place("context", "b"), place("workflow", "d")), "workflow", "c", true),
            ((place("context", "b"), place("workflow", "d")), "workflow", "e", false),
            ((place("workflow", "b"), None), "context", "c", false),
        ];
        let dir = tempfile::tempdir().unwrap();
        for (gap, table, key, expected) in cases {
            clear(dir.path()).unwrap();
            keep_gaps(dir.path(), std::slice::from_ref(&gap)).unwrap();
            let line = fs::read(dir.path().join(GAPS)).unwrap();
            let found = parse(&line, table).expect("it is a line of ours");
            let is_covered = found.is_some_and(|found| found.covers(key.as_bytes()));
            assert_eq!(is_covered, expected, "{gap:?}: {table} {key}");
        }
    }
}
