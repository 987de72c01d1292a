//! Roots that keep blobs alive: the pins of every session, what is set aside of streams, and what damaged values refer
//! to.

use std::collections::BTreeMap;

use piton_core::{Digest, SnapshotRef};

use crate::port::{
    BlobNamespace, BoxFuture, Cursor, Follow, JournalReader, Roots, RootsCursor, Table, TakenOut,
};
use crate::{Error, Event, StreamId};

/// Finds every digest whose text is among these bytes, or would be if one bit in it were not flipped. This is what an
/// unreadable value refers to, as far as that can be determined.
pub fn digests_in(bytes: &[u8]) -> Vec<Digest> {
    const START: &[u8] = b"sha256:";
    const LENGTH: usize = START.len() + 64;
    let parse = |digits: &[u8]| -> Option<Digest> {
        String::from_utf8([START, digits].concat()).ok()?.parse().ok()
    };
    let mut found = Vec::new();
    for window in bytes.windows(LENGTH) {
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
    ) -> BoxFuture<'a, Result<(Vec<Digest>, RootsCursor), Error>> {
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
}
