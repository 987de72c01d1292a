//! A note beside a log of the length that it is known to have had on the medium.
//!
//! A log is one file, and a log that was cut between two records looks like one that never had more. So each commit
//! leaves a note in `log.length`, after its sync and before it is acknowledged: the length of the log and its number of
//! events. See `docs/format/log.md`.
//!
//! *Invariants*: a note is never ahead of what is durable. It is written without a sync, so it may be missing, torn or
//! from an earlier commit. Then it says less, but nothing wrong.
//!
//! *Limitations*: records that were committed after the note that reached the medium can be cut off without a trace.

use std::io;
use std::path::PathBuf;

use piton_core::{Digest, DigestBuilder};

use super::stream_dir::StreamDir;
use super::tail::StreamHead;
use crate::local::file_ops::{read_if_fits, remove, replace};

const MAGIC: &str = "piton1 ";
const NUMBER_DIGITS: usize = 16;
const DIGEST_DIGITS: usize = 64;
const NOTE_BYTES: usize = MAGIC.len() + 2 * (NUMBER_DIGITS + 1) + DIGEST_DIGITS + 1;

/// The length of a log at a moment when all of it was durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DurableLength {
    pub(super) bytes: u64,
    pub(super) events: u64,
}

impl DurableLength {
    fn of(head: StreamHead) -> Self {
        Self { bytes: head.position, events: head.next_event.get() }
    }

    fn path(stream_dir: &StreamDir) -> PathBuf {
        stream_dir.control.with_extension("length")
    }

    /// Reads the note beside a log, if there is a complete one for this stream.
    pub(super) fn read(stream_dir: &StreamDir) -> io::Result<Option<Self>> {
        let (disk, path) = (stream_dir.disk().as_ref(), Self::path(stream_dir));
        let note = read_if_fits(disk, &path, NOTE_BYTES as u64)?;
        Ok(note.and_then(|note| Self::parse(&note, stream_dir)))
    }

    /// Leaves a note of a commit that is durable. The commit does not need it, so nothing waits for it or fails with
    /// it.
    pub(super) fn write(stream_dir: &StreamDir, head: StreamHead) {
        let path = Self::path(stream_dir);
        let write = || {
            let mut file = match stream_dir.disk().open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    stream_dir.disk().create(&path)?
                }
                file => file?,
            };
            // Notes all have the same length, so overwriting in place leaves either note or a mix that the digest
            // rejects.
            file.write_all_at(0, &Self::of(head).text(stream_dir))
        };
        let _: io::Result<()> = write();
    }

    /// Makes the note say that the log ends at `head`, durably.
    pub(super) fn lower(stream_dir: &StreamDir, head: StreamHead) -> io::Result<()> {
        let (disk, path) = (stream_dir.disk().as_ref(), Self::path(stream_dir));
        // Nothing is left of the log. A note, even of length 0, would say that there was a commit.
        if head.position == 0 {
            remove(disk, &path)?;
            return disk.sync_dir(&stream_dir.dir);
        }
        replace(disk, &path, &stream_dir.dir.join("length.tmp"), &Self::of(head).text(stream_dir))
    }

    fn text(self, stream_dir: &StreamDir) -> Vec<u8> {
        let numbers = format!("{:016x} {:016x}", self.bytes, self.events);
        let digest = digest_of(&numbers, stream_dir).hex();
        format!("{MAGIC}{numbers} {digest}\n").into_bytes()
    }

    fn parse(note: &[u8], stream_dir: &StreamDir) -> Option<Self> {
        let numbers = std::str::from_utf8(note).ok()?.strip_prefix(MAGIC)?;
        let number = |at: usize| {
            let digits = numbers.get(at..at + NUMBER_DIGITS)?;
            u64::from_str_radix(digits, 16).ok()
        };
        let found = Self { bytes: number(0)?, events: number(NUMBER_DIGITS + 1)? };
        // Rendered again and compared: only the exact text is a note, whatever its numbers parse to.
        (found.text(stream_dir) == note).then_some(found)
    }
}

/// Returns the digest of a note's contents. It covers the stream, so that a note copied to another stream is not valid
/// there.
fn digest_of(numbers: &str, stream_dir: &StreamDir) -> Digest {
    let mut builder = DigestBuilder::new();
    builder.update(numbers.as_bytes());
    builder.update(b" ");
    builder.update(stream_dir.stream.as_str().as_bytes());
    builder.finish()
}
