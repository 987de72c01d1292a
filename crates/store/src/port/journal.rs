//! The journal: streams of typed events.
//!
//! Reading and writing are two traits, so that code that only reads cannot append. Writing takes three steps, and the
//! types keep them in order: [`Journal::lease`] locks the stream and checks its health, [`StreamLease::writer`] hands
//! out a witness that borrows the lease, and [`Journal::append`] requires that witness.
//!
//! A witness cannot be made by hand, and does not outlive its lease:
//!
//! ```compile_fail,E0451
//! # use piton_store::port::{StreamLease, Writer};
//! fn forge(lease: &StreamLease) -> Writer<'_> {
//!     Writer { lease }
//! }
//! ```
//!
//! ```compile_fail,E0505
//! # use piton_store::{AppendPlan, Event, port::{Journal, StreamLease}};
//! async fn too_late<E: Event>(journal: &dyn Journal<E>, lease: StreamLease, plan: AppendPlan<E>) {
//!     let writer = lease.writer();
//!     drop(lease);
//!     journal.append(&writer, plan).await.unwrap();
//! }
//! ```
//!
//! A salvaged, damaged stream offers no way to append:
//!
//! ```compile_fail,E0599
//! # use piton_store::{Event, port::SalvagedStream};
//! fn go_on<E: Event>(salvaged: SalvagedStream<E>) {
//!     salvaged.writer();
//! }
//! ```
//!
//! And code that can only read cannot lease:
//!
//! ```compile_fail,E0599
//! # use piton_store::{Event, StreamId, port::JournalReader};
//! async fn reader<E: Event>(journal: &dyn JournalReader<E>, stream: &StreamId) {
//!     journal.lease(stream).await;
//! }
//! ```

// shows in part: WR-096, WR-099, WR-100, WR-101 (the examples above that must not build)
// shows in part: WR-433 (the type of what was read from a damaged stream)

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use piton_core::{DedupeKey, Digest, EventIndex, ManifestIndex, SnapshotRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Patience, StoreFuture};
use crate::record::Record;
use crate::{AppendPlan, Event, Health, StreamId, TornTail};

/// The reading half of a journal.
pub trait JournalReader<E: Event>: Send + Sync {
    /// Lists every stream in byte order of its name, including streams that are damaged beyond reading.
    fn streams(&self) -> StoreFuture<'_, Vec<StreamId>>;

    /// Reads and checks a whole stream. Fails if anything in it is not as it was written.
    ///
    /// It takes no lease unless the newest plan looks incomplete. Then it looks again under the lease, and if a writer
    /// holds that, it returns the stream as it was before that plan.
    fn load<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, LoadedStream<E>>;

    /// Reads the valid part of a stream, and reports what is not valid. For inspection and export only.
    fn load_validated_prefix<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> StoreFuture<'a, SalvagedStream<E>>;

    /// Returns what was appended since `cursor`. Costs one metadata lookup when there is nothing new.
    fn follow<'a>(&'a self, stream: &'a StreamId, cursor: &'a Cursor)
    -> StoreFuture<'a, Follow<E>>;

    /// Finds the event that carries `key`, if there is one: an optimistic look that takes no lease.
    ///
    /// A hit is durable: if it lies in the newest plan, this call itself has made sure of that.
    fn lookup<'a>(
        &'a self,
        stream: &'a StreamId,
        key: &'a DedupeKey,
    ) -> StoreFuture<'a, Option<EventIndex>>;

    /// Returns the snapshots that a stream pins, from its control records alone: no event is read.
    ///
    /// With a cursor, returns only those pinned after it. Fails if any control record is not valid.
    fn pins<'a>(&'a self, stream: &'a StreamId, since: Option<&'a Cursor>)
    -> StoreFuture<'a, Pins>;

    /// Returns the control records of a stream, in order: no event is read.
    ///
    /// Records of an unfinished plan are left out. Fails if any control record is not valid. A journal whose streams
    /// have no control records returns none.
    fn records<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, Vec<Record>>;

    /// Returns the time since a plan was last appended to a stream.
    fn age<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, Duration>;

    /// Lists what repairs and interrupted writes took out of a stream, or of all streams, and keep beside it, in byte
    /// order of streams and names. Includes streams of which nothing else is left.
    fn set_aside<'a>(&'a self, stream: Option<&'a StreamId>) -> StoreFuture<'a, Vec<SetAside>>;

    /// Returns every digest in what is set aside of all streams, each once. That data may be damaged, so a digest only
    /// has to be written there in full. A collector of blobs must read the streams first and call this afterwards:
    /// whatever a repair moves in the meantime is then found in one of the two.
    fn digests_set_aside(&self) -> StoreFuture<'_, Vec<Digest>>;
}

/// A journal: the only way to change a stream.
///
/// Promise:
/// - `append` is atomic, and durable when it returns: after any crash a stream holds whole plans, in order, and every
///   plan that was acknowledged.
/// - There is one writer per stream, across processes. A second one is refused, at once or when its patience ends.
/// - Callers that wait for a stream get it in turn: a process that releases it and asks for it again stands behind one
///   that waits already.
/// - A plan whose keys are all present is answered from what is there, and changes nothing.
/// - An append that has started runs to its end, even when its caller is gone. Repeating it then reveals its outcome.
/// - Data that cannot be read is damage, unless a crash before its acknowledgement explains every byte of it: only that
///   is taken back without asking. In neither case is anything that was written overwritten or removed; it is set
///   aside, and [`JournalReader::set_aside`] lists it.
pub trait Journal<E: Event>: JournalReader<E> {
    /// Locks a stream for writing, and checks its health under the lock. Never waits.
    ///
    /// A stream that does not exist yet is leased empty; it exists once something is appended.
    fn lease<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, StreamLease> {
        self.lease_with(stream, Patience::FailFast)
    }

    /// Like [`lease`](Self::lease), but waits for another writer if it has patience.
    ///
    /// Without patience a stream that has a writer is [`Error::Locked`](crate::Error::Locked); when patience ends, it is [`Error::Busy`](crate::Error::Busy).
    fn lease_with<'a>(
        &'a self,
        stream: &'a StreamId,
        patience: Patience,
    ) -> StoreFuture<'a, StreamLease>;

    /// Appends a plan.
    ///
    /// The plan is queued when this is called, not when the future is first polled: plans of one lease are written in
    /// the order of the calls, and plans that wait together may share one sync. Each plan must start at the index after
    /// the plan before it. After a failure the lease is spent: the plans that wait behind it fail too, and nothing more
    /// is written through it.
    fn append<'a>(&'a self, writer: &Writer<'_>, plan: AppendPlan<E>) -> StoreFuture<'a, Appended>;

    /// Removes a stream. It disappears at once; its contents are removed after that.
    fn delete(&self, lease: StreamLease) -> StoreFuture<'_, ()>;

    /// Checks a whole stream as the medium holds it, not as it is cached. If the stream is sound, also lifts the mark
    /// that a failed sync left.
    fn verify<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, StreamVerification>;

    /// Rolls a corrupt stream back to its last intact plan, and keeps what it takes away.
    ///
    /// After a failure or an interruption at any point, the stream is either still damaged or repaired, everything that
    /// it held is in it or set aside, and another repair finishes the work.
    fn repair<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, StreamRepair>;
}

/// A complete stream, checked.
#[derive(Debug)]
pub struct LoadedStream<E> {
    pub events: Vec<E>,
    /// End of this reading.
    pub cursor: Cursor,
    /// Bytes at the end that were never acknowledged.
    pub torn_tail: Option<TornTail>,
}

/// The valid part of a stream that may be damaged. It cannot be written to.
#[derive(Debug)]
pub struct SalvagedStream<E> {
    /// Events before the first flaw.
    pub events: Vec<E>,
    pub health: Health,
    /// Bytes at the end that were never acknowledged.
    pub torn_tail: Option<TornTail>,
}

/// Changes to a stream since a cursor.
#[derive(Debug)]
pub enum Follow<E> {
    Unchanged,
    Appended {
        events: Vec<E>,
        /// End of this reading.
        cursor: Cursor,
    },
    /// The stream was cut, repaired or deleted: what was read before is no longer valid. Load it again.
    Replaced,
}

/// The pinned snapshots of a stream.
#[derive(Debug)]
pub struct Pins {
    /// Snapshots in the order of their pins, each once.
    pub snapshots: Vec<SnapshotRef>,
    /// End of this reading.
    pub cursor: Cursor,
}

/// Outcome of an append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    Committed {
        first: EventIndex,
        last: EventIndex,
    },
    /// Every event of the plan was in the stream already.
    AlreadyPresent {
        /// Indices of those events, in the order of the plan.
        indices: Vec<EventIndex>,
    },
}

/// Findings of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamVerification {
    pub health: Health,
    /// Number of valid events.
    pub events: u64,
    /// Number of events that a repair would leave in the stream.
    pub repairable: u64,
    /// Bytes at the end that were never acknowledged.
    pub torn_tail: Option<TornTail>,
    /// Number of plans beside the stream that never became part of it: their writes failed or were interrupted, unless
    /// the newest control records were taken away without a trace.
    pub unfinished: usize,
    /// Set when there was a mark of a failed sync and it has been lifted.
    pub mark_lifted: bool,
}

/// Outcome of a repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamRepair {
    /// Health before the repair.
    pub was: Health,
    /// Index that the next event will have now.
    pub next_event: EventIndex,
    /// Number of plans whose control records were damaged or gone and were written again, because everything else of
    /// them is intact.
    pub rewritten: u64,
    /// Number of events that the stream is known to have had and no longer has.
    pub lost: u64,
    /// The data that was taken away, if there was any.
    pub backup: Option<SetAside>,
}

/// Data that was taken out of a stream and is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    pub stream: StreamId,
    /// Name beside the stream.
    pub name: String,
    /// Location, for display.
    pub place: String,
    pub files: u64,
    pub bytes: u64,
}

/// An adapter's own part of a lease.
pub(crate) trait LeaseHold: Send + Sync {
    /// Gives the adapter access to its own type.
    fn as_any(&self) -> &dyn std::any::Any;
    /// Returns the end of the stream, counting the plans committed so far.
    fn cursor(&self) -> Cursor;
}

/// The right to write to one stream, granted by [`Journal::lease`] and released when dropped.
///
/// An append that is still running keeps the lock until it has ended.
pub struct StreamLease {
    pub(crate) stream: StreamId,
    pub(crate) epoch: u64,
    pub(crate) torn_tail: Option<TornTail>,
    pub(crate) hold: Arc<dyn LeaseHold>,
}

impl StreamLease {
    /// Returns the leased stream.
    pub fn stream(&self) -> &StreamId {
        &self.stream
    }

    /// Returns a number that grows with every plan that is appended: a lease that something was written after has a
    /// lower one than the leases since. By it, an adapter can refuse a writer that lost its lease.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the index that the next event will have, counting the plans committed so far.
    pub fn next_event(&self) -> EventIndex {
        self.cursor().next_event()
    }

    /// Returns the end of the stream, counting the plans committed so far. A caller that has read up to the start of
    /// the lease, and knows what it appended itself, can continue from here.
    pub fn cursor(&self) -> Cursor {
        self.hold.cursor()
    }

    /// Returns the unacknowledged bytes found at the end of the stream. The next append sets them aside.
    pub fn torn_tail(&self) -> Option<TornTail> {
        self.torn_tail
    }

    /// Returns the witness that [`Journal::append`] requires.
    pub fn writer(&self) -> Writer<'_> {
        Writer { lease: self }
    }
}

impl fmt::Debug for StreamLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StreamLease({}, epoch {})", self.stream, self.epoch)
    }
}

/// Proof that its holder has a stream's lease.
#[derive(Debug)]
pub struct Writer<'lease> {
    lease: &'lease StreamLease,
}

impl<'lease> Writer<'lease> {
    /// Returns the lease that this witness stands for.
    pub fn lease(&self) -> &'lease StreamLease {
        self.lease
    }
}

/// The end of a reading of a stream: a place in it, as one adapter knows it.
///
/// A cursor can be written down as text, for another process to follow. The contents of the text are private to the
/// adapter.
///
/// *Invariants*: a cursor that another adapter or another data directory made is noticed when it is followed, because
/// it names the incarnation of its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(with = "String")]
#[serde(try_from = "String", into = "String")]
pub struct Cursor {
    pub(crate) incarnation: u128,
    pub(crate) position: u64,
    /// The length at which a reading found nothing more; beyond `position` if it will read the
    /// newest records again.
    pub(crate) seen: u64,
    pub(crate) next_manifest: ManifestIndex,
    pub(crate) next_event: EventIndex,
}

impl Cursor {
    /// Returns the index that the next event will have.
    pub fn next_event(&self) -> EventIndex {
        self.next_event
    }
}

/// Error for a text that is not a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text is not a cursor of a stream; read the stream again")]
pub struct NotACursor;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { incarnation, position, seen, next_manifest, next_event } = self;
        write!(f, "{incarnation:x}.{position}.{seen}.{next_manifest}.{next_event}")
    }
}

impl FromStr for Cursor {
    type Err = NotACursor;

    /// Reads what [`Display`](fmt::Display) wrote, and nothing else.
    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let fields: Vec<&str> = text.split('.').collect();
        let &[incarnation, position, seen, next_manifest, next_event] = fields.as_slice() else {
            return Err(NotACursor);
        };
        let number = |text: &str| text.parse::<u64>().map_err(|_| NotACursor);
        let cursor = Self {
            incarnation: u128::from_str_radix(incarnation, 16).map_err(|_| NotACursor)?,
            position: number(position)?,
            seen: number(seen)?,
            next_manifest: ManifestIndex::new(number(next_manifest)?).map_err(|_| NotACursor)?,
            next_event: EventIndex::new(number(next_event)?).map_err(|_| NotACursor)?,
        };
        // Signs and leading zeros are other ways to write the same number.
        if cursor.to_string() == text { Ok(cursor) } else { Err(NotACursor) }
    }
}

impl TryFrom<String> for Cursor {
    type Error = NotACursor;

    fn try_from(text: String) -> Result<Self, NotACursor> {
        text.parse()
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_has_one_text_and_no_other_is_read() {
        let cursor = Cursor {
            incarnation: u128::MAX,
            position: 7,
            seen: u64::MAX,
            next_manifest: ManifestIndex::ZERO,
            next_event: EventIndex::ZERO.next(),
        };
        let text = cursor.to_string();
        assert_eq!(text, "ffffffffffffffffffffffffffffffff.7.18446744073709551615.0.1");
        assert_eq!(text.parse(), Ok(cursor));
        let wrong = [
            "",
            "1.2.3.4",
            "1.2.3.4.5.6",
            "1.2.3.4.+5",
            "1.02.3.4.5",
            "g.2.3.4.5",
            "1.2.3.4.9007199254740992",
        ];
        for wrong in wrong {
            assert_eq!(wrong.parse::<Cursor>(), Err(NotACursor), "{wrong}");
        }
    }
}
