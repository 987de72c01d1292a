//! Reads entries directly from the pages of a database file, for a file whose tree is damaged.
//!
//! The entries form an index b-tree: most are on its leaves, and between each two leaves there is one entry on an
//! interior page. Every page says by itself which entries it holds, so a damaged page hides none on other pages. Where
//! a leaf directly follows a leaf, or an interior entry another interior entry, something is missing in between.
//!
//! The format is <https://www.sqlite.org/fileformat2.html>.
//!
//! *Invariants*: no byte of the file is trusted. Each page is read once for its own cells. A chain of overflow pages is
//! followed only for as long as its entry says, and the size of an entry is bounded.
//!
//! *Limitations*: the write-ahead log is not read, so it has to be folded back before. Pages that are no longer in use
//! hold entries that were removed: where the list of those pages cannot be read, the caller has to tell them apart.
#![expect(clippy::disallowed_methods, reason = "reads a database file that no process has open")]

use std::collections::HashSet;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::{fs, io};

use super::salvage::{EntryPosition, StoredEntry};
use super::taken_out::Gap;
use crate::bounds::{TABLE_KEY_BYTES_MAX, TABLE_VALUE_BYTES_MAX};

/// Page types of an index, by their first byte.
const INTERIOR: u8 = 0x02;
const LEAF: u8 = 0x0a;

/// Offsets in the file header of the page size, the reserved bytes per page, the first page of the list of unused
/// pages, and the number of unused pages.
const PAGE_LEN_AT: usize = 16;
const RESERVED_AT: usize = 20;
const UNUSED_AT: usize = 32;
const UNUSED_COUNT_AT: usize = 36;
/// Type of a column without a value.
const ABSENT: u64 = 0;
/// Size of the smallest page that SQLite makes.
const PAGE_LEN_MIN: usize = 512; // tidy: number: of the file format of SQLite
const HEADER_LEN: usize = 100; // tidy: number: of the file format of SQLite

/// Maximum size of an entry: the largest key and value, and room for the name of its table and its numbers.
const ENTRY_BYTES_MAX: usize = TABLE_KEY_BYTES_MAX + TABLE_VALUE_BYTES_MAX + 1_024; // tidy: number: room

/// A database file.
pub(super) struct Pages {
    file: fs::File,
    page_len: usize,
    /// Number of bytes of each page that SQLite uses.
    usable: usize,
    count: u32,
}

/// The entries of one page.
#[derive(Default)]
pub(super) struct PageEntries {
    pub(super) entries: Vec<StoredEntry>,
    pub(super) spans: Vec<Span>,
    /// Number of cells, including those that cannot be read.
    pub(super) cells: usize,
}

/// Entries with nothing between them: those of a leaf, or a single interior entry.
pub(super) struct Span {
    first: EntryPosition,
    last: EntryPosition,
    is_leaf: bool,
    /// Set when entries of the same leaf before this span, or behind it, cannot be read.
    is_cut_before: bool,
    is_cut_behind: bool,
}

/// A cell of a page.
enum Cell {
    Entry(StoredEntry),
    /// A cell of another table of the database.
    Other,
    Unreadable,
}

impl Pages {
    /// Opens a file whose first page has a header.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = fs::File::open(path)?;
        let mut header = [0; HEADER_LEN];
        file.read_exact_at(&mut header, 0)?;
        let page_len = match usize::from(u16_at(&header, PAGE_LEN_AT).unwrap_or(0)) {
            1 => 65_536, // tidy: number: SQLite writes its largest page as 1
            length => length,
        };
        if !page_len.is_power_of_two() || page_len < PAGE_LEN_MIN {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let usable = page_len - usize::from(header[RESERVED_AT]);
        let count = file.metadata()?.len() / page_len as u64;
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        Ok(Self { file, page_len, usable, count })
    }

    /// Returns the numbers of all pages that may hold entries. The first page holds the schema.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        2..=self.count
    }

    /// Returns the pages that are not in use, or `None` if the list of them is damaged.
    pub(super) fn unused(&self) -> io::Result<Option<HashSet<u32>>> {
        let first = self.page(1)?;
        let count = u32_at(&first, UNUSED_COUNT_AT).unwrap_or(0);
        let mut trunk = u32_at(&first, UNUSED_AT).unwrap_or(0);
        let mut unused = HashSet::new();
        let is_page = |number: u32| (2..=self.count).contains(&number);
        while trunk != 0 {
            // A page that occurs twice means a damaged list, and would be followed forever.
            if !is_page(trunk) || !unused.insert(trunk) {
                return Ok(None);
            }
            let page = self.page(trunk)?;
            let leaves = u32_at(&page, 4).unwrap_or(0) as usize;
            if leaves > self.usable / 4 - 2 {
                return Ok(None);
            }
            for at in 0..leaves {
                let leaf = u32_at(&page, 8 + 4 * at).unwrap_or(0);
                if !is_page(leaf) || !unused.insert(leaf) {
                    return Ok(None);
                }
            }
            trunk = u32_at(&page, 0).unwrap_or(0);
        }
        // The header counts the list as well. If the two disagree, an entry could be lost or come back, so neither is
        // trusted.
        Ok((unused.len() == count as usize).then_some(unused))
    }

    /// Reads the entries of a page; `None` if it is not a page of entries.
    pub(super) fn read(&self, number: u32) -> io::Result<Option<PageEntries>> {
        let page = self.page(number)?;
        let is_leaf = match page[0] {
            LEAF => true,
            INTERIOR => false,
            _ => return Ok(None),
        };
        let pointers = if is_leaf { 8 } else { 12 };
        let cells = usize::from(u16_at(&page, 3).unwrap_or(0));
        // More cells than there is room for: the header of this page is damaged.
        if pointers + 2 * cells > self.usable {
            return Ok(None);
        }
        let mut found = PageEntries { cells, ..PageEntries::default() };
        let mut is_cut = false;
        let mut run: Vec<EntryPosition> = Vec::new();
        for cell in 0..cells {
            match self.cell(&page, pointers + 2 * cell, is_leaf)? {
                Cell::Entry(entry) => {
                    // A damaged entry may have another key than it had, so on a leaf it is no boundary of a span.
                    if entry.is_whole() || !is_leaf {
                        run.push(entry.place.clone());
                    }
                    found.entries.push(entry);
                    // Leaves lie between any two interior entries, so each of those is a span of its own.
                    if !is_leaf {
                        found.end(&mut run, is_leaf, &mut is_cut);
                    }
                }
                // One cell of another table is enough: a page belongs to one table only.
                Cell::Other => return Ok(None),
                Cell::Unreadable => {
                    found.end(&mut run, is_leaf, &mut is_cut);
                    // On a leaf, neighbours are missing here. On an interior page, the leaves around show that.
                    is_cut = is_leaf;
                    if let Some(last) = found.spans.last_mut() {
                        last.is_cut_behind = is_leaf;
                    }
                }
            }
        }
        found.end(&mut run, is_leaf, &mut is_cut);
        // No intact entry at all: the damaged ones are the best boundaries there are.
        if found.spans.is_empty() {
            run.extend(found.entries.iter().map(|entry| entry.place.clone()));
            found.end(&mut run, is_leaf, &mut is_cut);
        }
        Ok(Some(found))
    }

    fn page(&self, number: u32) -> io::Result<Vec<u8>> {
        let mut page = vec![0; self.page_len];
        self.file.read_exact_at(&mut page, u64::from(number - 1) * self.page_len as u64)?;
        Ok(page)
    }

    /// Reads the cell that the pointer at `pointer` leads to.
    fn cell(&self, page: &[u8], pointer: usize, is_leaf: bool) -> io::Result<Cell> {
        let start = usize::from(u16_at(page, pointer).unwrap_or(0));
        // On an interior page, the number of the child page stands before the entry.
        let start = if is_leaf { start } else { start + 4 };
        let Some((length, at)) = varint(&page[..self.usable], start) else {
            return Ok(Cell::Unreadable);
        };
        // Without a bound, a damaged length could ask for any amount of memory.
        let Some(length) = usize::try_from(length).ok().filter(|it| *it <= ENTRY_BYTES_MAX) else {
            return Ok(Cell::Unreadable);
        };
        let local = self.local(length);
        let Some(beginning) = page[..self.usable].get(at..at + local) else {
            return Ok(Cell::Unreadable);
        };
        let mut payload = beginning.to_vec();
        let mut next = if local < length { u32_at(page, at + local) } else { None };
        // The loop ends even if the chain leads back to itself: each page adds bytes, and the length is bounded.
        while payload.len() < length {
            let Some(number) = next.filter(|next| (2..=self.count).contains(next)) else {
                return Ok(Cell::Unreadable);
            };
            let overflow = self.page(number)?;
            let wanted = (length - payload.len()).min(self.usable - 4);
            payload.extend_from_slice(&overflow[4..4 + wanted]);
            next = u32_at(&overflow, 0);
        }
        Ok(parse(&payload).unwrap_or(Cell::Unreadable))
    }

    /// Returns the number of bytes of an entry that stand on the page of its cell; the others are on overflow pages.
    fn local(&self, length: usize) -> usize {
        // The formula and its numbers come from SQLite's file format.
        let share = |parts| (self.usable - 12) * parts / 255 - 23; // tidy: number: of the file format
        let (most, least) = (share(64), share(32));
        if length <= most {
            return length;
        }
        let fitting = least + (length - least) % (self.usable - 4);
        if fitting <= most { fitting } else { least }
    }
}

impl PageEntries {
    /// Ends a run of entries and records it as a span.
    fn end(&mut self, run: &mut Vec<EntryPosition>, is_leaf: bool, is_cut: &mut bool) {
        if let (Some(first), Some(last)) = (run.first().cloned(), run.pop()) {
            let is_cut_before = std::mem::take(is_cut);
            let span = Span { first, last, is_leaf, is_cut_before, is_cut_behind: false };
            self.spans.push(span);
        }
        run.clear();
    }
}

/// Returns the places between spans at which something is missing.
pub(super) fn gaps(mut spans: Vec<Span>) -> Vec<Gap> {
    spans.sort_unstable_by(|one, other| one.first.cmp(&other.first));
    let mut gaps = Vec::new();
    let mut previous: Option<Span> = None;
    for span in spans {
        // A tree begins and ends with a leaf, and between two leaves there is one interior entry.
        let is_misfit = previous.as_ref().is_some_and(|previous| previous.is_leaf) == span.is_leaf;
        let is_cut = previous.as_ref().is_some_and(|previous| previous.is_cut_behind);
        if is_misfit || is_cut || span.is_cut_before {
            gaps.push((previous.map(|previous| previous.last), Some(span.first.clone())));
        }
        previous = Some(span);
    }
    if previous.as_ref().is_none_or(|previous| !previous.is_leaf || previous.is_cut_behind) {
        gaps.push((previous.map(|previous| previous.last), None));
    }
    gaps
}

/// Parses the entry in a record.
fn parse(payload: &[u8]) -> Option<Cell> {
    let (header_len, mut at) = varint(payload, 0)?;
    let header_len = usize::try_from(header_len).ok()?;
    let header = payload.get(..header_len)?;
    let mut types = Vec::new();
    // Five columns at most; a sixth is enough to know that this is no entry.
    while at < header_len && types.len() <= 5 {
        let (kind, next) = varint(header, at)?;
        types.push(kind);
        at = next;
    }
    let (first, rest) = types.split_first()?;
    // Text and an integer: a row of `meta`.
    if types.len() == 2 && is_text(*first) && integer_len(rest[0]).is_some() {
        return Some(Cell::Other);
    }
    // With four columns, or with an absent fifth, the entry dates from before there were checksums.
    let ([table, key, value, version], checksum) = match *types.as_slice() {
        [table, key, value, version] => ([table, key, value, version], None),
        [table, key, value, version, checksum] => ([table, key, value, version], Some(checksum)),
        _ => return None,
    };
    if !is_text(table) {
        return None;
    }
    let mut body = &payload[header_len..];
    let table = body.split_off(..usize::try_from((table - 13) / 2).ok()?)?;
    let key = body.split_off(..blob_len(key)?)?.to_vec();
    let value = body.split_off(..blob_len(value)?)?.to_vec();
    let version = integer(&mut body, version)?;
    let checksum = match checksum.filter(|kind| *kind != ABSENT) {
        Some(kind) => Some(i32::try_from(integer(&mut body, kind)?).ok()?),
        None => None,
    };
    let place = (String::from_utf8_lossy(table).into_owned(), key);
    let version = u64::try_from(version).ok()?;
    // Bytes that are left over mean that some length was damaged.
    body.is_empty().then_some(Cell::Entry(StoredEntry { place, value, version, checksum }))
}

fn is_text(kind: u64) -> bool {
    kind >= 13 && kind % 2 == 1
}

fn blob_len(kind: u64) -> Option<usize> {
    (kind >= 12 && kind.is_multiple_of(2)).then(|| usize::try_from((kind - 12) / 2).ok())?
}

/// Returns the size in bytes of an integer of this type.
fn integer_len(kind: u64) -> Option<usize> {
    match kind {
        1..=4 => usize::try_from(kind).ok(),
        5 => Some(6),
        6 => Some(8),
        8 | 9 => Some(0),
        _ => None,
    }
}

fn integer(body: &mut &[u8], kind: u64) -> Option<i64> {
    let bytes = body.split_off(..integer_len(kind)?)?;
    // The types 8 and 9 are the numbers 0 and 1.
    let Some(first) = bytes.first() else { return Some(i64::from(kind == 9)) };
    let sign = if first & 0x80 == 0 { 0 } else { -1 };
    Some(bytes.iter().fold(sign, |number, byte| number << 8 | i64::from(*byte)))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Reads a number of one to nine bytes. Returns it and the offset at which it ends.
fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut number = 0;
    for (read, byte) in bytes.get(at..)?.iter().take(9).enumerate() {
        // The ninth byte counts in full: it has no continuation bit.
        if read == 8 {
            return Some((number << 8 | u64::from(*byte), at + 9));
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((number, at + read + 1));
        }
    }
    None
}
