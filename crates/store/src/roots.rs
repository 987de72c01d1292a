//! Roots that keep blobs alive: the pins of every session, what is set aside of streams, and what damaged values refer
//! to.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_core::{Digest, SnapshotRef};

use crate::port::{
    BlobNamespace, Cursor, Follow, JournalReader, Key, Roots, RootsCursor, StoreFuture, Table,
    TableEntry, TakenOut,
};
use crate::{Error, Event, StreamId};

/// Start of a digest's text, and the number of hexadecimal digits behind it.
const START: &[u8] = b"sha256:";
const DIGITS: usize = 64;

/// Finds every digest whose text is among these bytes, or would be if one bit in it were not flipped. This is what an
/// unreadable value refers to, as far as that can be determined.
pub fn digests_in(bytes: &[u8]) -> Vec<Digest> {
    let parse = |digits: &[u8]| -> Option<Digest> {
        String::from_utf8([START, digits].concat()).ok()?.parse().ok()
    };
    let mut found = Vec::new();
    for window in bytes.windows(START.len() + DIGITS) {
        let (start, digits) = window.split_at(START.len());
        let changed = start.iter().zip(START).filter(|(found, wanted)| found != wanted).count();
        // One wrong character in the prefix is one flipped bit, so the digits are right as they are.
        if changed <= 1 {
            found.extend(parse(digits));
        }
        if changed == 0 {
            // The prefix is right, so the flipped bit may be in any digit. Every correction that parses counts.
            let mut digits = digits.to_vec();
            for (at, bit) in (0..digits.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
                digits[at] ^= 1 << bit;
                found.extend(parse(&digits));
                digits[at] ^= 1 << bit;
            }
        }
    }
    found
}

/// Finds the digests that are written in full in `text`, with or without their prefix: runs of that many hexadecimal
/// digits. Cheap enough for whole streams, unlike [`digests_in`]. Because of damage, a
/// character right before or behind a digest may have become a digit, so both ends of a longer run are tried.
#[cfg(feature = "local")]
pub(crate) fn whole_digests_in(text: &[u8]) -> impl Iterator<Item = Digest> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let runs = text.split(move |byte| !is_digit(byte));
    let ends = runs.flat_map(|run| [run.first_chunk(), run.last_chunk()]);
    ends.flatten().filter_map(|digits: &[u8; DIGITS]| {
        format!("sha256:{}", std::str::from_utf8(digits).ok()?).parse().ok()
    })
}

/// Returns the digests in the entries that repairs took out of a table.
pub async fn digests_taken_out(table: &dyn Table) -> Result<Vec<Digest>, Error> {
    let mut digests = Vec::new();
    let mut add = |taken_out: TakenOut| {
        if let TakenOut::Entry { value, .. } = taken_out {
            digests.extend(digests_in(&value));
        }
    };
    table.taken_out(&mut add).await?;
    Ok(digests)
}

/// A scan of all entries whose keys start with a prefix, page by page. Entries that are added meanwhile may be missed.
pub struct PagedScan<'a> {
    table: &'a dyn Table,
    prefix: &'a [u8],
    page_max: usize,
    after: Option<Key>,
    is_done: bool,
}

impl<'a> PagedScan<'a> {
    /// Creates a scan that reads at most `page_max` entries at a time.
    pub fn new(table: &'a dyn Table, prefix: &'a [u8], page_max: usize) -> Self {
        Self { table, prefix, page_max, after: None, is_done: false }
    }

    /// Returns the next page in key order, or `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<Vec<TableEntry>>, Error> {
        if self.is_done {
            return Ok(None);
        }
        let page = self.table.scan(self.prefix, self.after.as_deref(), self.page_max).await?;
        self.after = page.entries.last().map(|entry| Arc::clone(&entry.key));
        self.is_done = !page.more;
        Ok(Some(page.entries))
    }
}

/// The rows of a table that refer to blobs: those in use, and those that a repair moved aside.
pub struct TableRoots<'a> {
    pub in_use: &'a [u8],
    pub aside: &'a [u8],
    pub page_max: usize,
}

impl TableRoots<'_> {
    /// Adds the digests that `pick` finds in the rows in use, and every digest in those moved aside.
    ///
    /// A row moved aside may be damaged, so everything in it that looks like a digest counts. A row in use has to be
    /// readable: to skip it would let its blob be collected.
    pub async fn read(
        &self,
        table: &dyn Table,
        roots: &mut Vec<Digest>,
        pick: impl Fn(&TableEntry) -> Result<Option<Digest>, Error>,
    ) -> Result<(), Error> {
        let mut in_use = PagedScan::new(table, self.in_use, self.page_max);
        while let Some(entries) = in_use.next().await? {
            for entry in &entries {
                roots.extend(pick(entry)?);
            }
        }
        let mut aside = PagedScan::new(table, self.aside, self.page_max);
        while let Some(entries) = aside.next().await? {
            roots.extend(entries.iter().flat_map(|entry| digests_in(&entry.value)));
        }
        Ok(())
    }
}

/// The digests that the streams of a journal refer to in one namespace, and every digest in what is set aside of them.
///
/// If a stream or anything set aside cannot be read in full, every reading fails, so that nothing in the namespace is
/// swept.
pub struct JournalRoots<'a, E> {
    journal: &'a dyn JournalReader<E>,
    namespace: BlobNamespace,
    source: RootSource<E>,
}

/// The part of a stream that refers to blobs.
enum RootSource<E> {
    /// Control records alone; no event is read.
    Pins,
    /// Events, with the function that picks the digests from them.
    Events(fn(&[E]) -> Vec<Digest>),
}

impl<'a, E: Event> JournalRoots<'a, E> {
    /// Creates the roots of snapshots: the pins of all streams.
    pub fn pins(journal: &'a dyn JournalReader<E>) -> Self {
        Self { journal, namespace: BlobNamespace::Snapshots, source: RootSource::Pins }
    }

    /// Creates the roots of a namespace that events refer to. `pick` returns the digests in them.
    pub fn events(
        journal: &'a dyn JournalReader<E>,
        namespace: BlobNamespace,
        pick: fn(&[E]) -> Vec<Digest>,
    ) -> Self {
        Self { journal, namespace, source: RootSource::Events(pick) }
    }

    async fn read(&self, since: Option<&RootsCursor>) -> Result<(Vec<Digest>, RootsCursor), Error> {
        let mut roots = Vec::new();
        let mut cursors = BTreeMap::new();
        for stream in self.journal.streams().await? {
            let known = since.and_then(|cursors| cursors.get(&stream));
            match self.read_stream(&stream, known).await {
                Ok((found, cursor)) => {
                    roots.extend(found);
                    cursors.insert(stream, cursor);
                }
                // The stream was deleted since it was listed.
                Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if since.is_none() {
            // Data that repairs keep may be put back by hand. Nothing can enter it later that was not marked before,
            // unless it is too young to be swept.
            roots.extend(self.journal.digests_set_aside().await?);
        }
        Ok((roots, cursors))
    }

    /// Returns the roots of a stream since `known`, or all of them.
    async fn read_stream(
        &self,
        stream: &StreamId,
        known: Option<&Cursor>,
    ) -> Result<(Vec<Digest>, Cursor), Error> {
        let pick = match self.source {
            RootSource::Pins => {
                let pins = self.journal.pins(stream, known).await?;
                let digests = pins.snapshots.iter().map(|pin: &SnapshotRef| pin.digest());
                return Ok((digests.collect(), pins.cursor));
            }
            RootSource::Events(pick) => pick,
        };
        if let Some(cursor) = known {
            match self.journal.follow(stream, cursor).await? {
                Follow::Unchanged => return Ok((Vec::new(), *cursor)),
                Follow::Appended { events, cursor } => return Ok((pick(&events), cursor)),
                // A log that was cut or replaced is read from its start: the cursor says nothing about it.
                Follow::Replaced => {}
            }
        }
        let loaded = self.journal.load(stream).await?;
        Ok((pick(&loaded.events), loaded.cursor))
    }
}

impl<E: Event> Roots for JournalRoots<'_, E> {
    fn namespace(&self) -> BlobNamespace {
        self.namespace
    }

    fn roots<'a>(
        &'a self,
        since: Option<&'a RootsCursor>,
    ) -> StoreFuture<'a, (Vec<Digest>, RootsCursor)> {
        Box::pin(self.read(since))
    }
}

#[cfg(test)]
mod tests {
    use piton_core::FileBytes;

    use super::*;

    #[test]
    fn a_digest_is_found_with_any_one_bit_flipped() {
        let digest = Digest::of(&FileBytes(b"content"));
        let text = format!("{{\"digest\":\"{digest}\"}}").into_bytes();
        for bit in 0..text.len() * 8 {
            let mut flipped = text.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(digests_in(&flipped).contains(&digest), "bit {bit}");
        }
        assert_eq!(digests_in(b"sha256: of nothing"), []);
    }

    #[cfg(feature = "local")]
    #[test]
    fn digests_are_found_whatever_stands_around_them() {
        let digest = Digest::of(&FileBytes(b"content"));
        let check = |text: String, count: usize| {
            let found: Vec<Digest> = whole_digests_in(text.as_bytes()).collect();
            assert_eq!(found.iter().filter(|one| **one == digest).count(), count, "{text}");
        };
        let hex = digest.hex();
        check(format!("{{\"digest\":\"{digest}\"}}\n"), 2);
        check(format!("piton1 00000001 {hex}\n\u{0}"), 2);
        // The character before the digest, or the one behind it, became a digit.
        check(format!("sha2568{hex}\""), 1);
        check(format!(":{hex}2}}"), 1);
        check(hex[1..].to_owned(), 0);
        check(hex.to_uppercase(), 0);
    }
}
