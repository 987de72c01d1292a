//! The journal: streams of typed events.
//!
//! Reading and writing are two traits, so that code which only reads cannot append. Writing takes
//! three steps that the types keep in order: [`Journal::lease`] locks the stream and checks its
//! health, [`StreamLease::writer`] hands out a witness that borrows the lease, and
//! [`Journal::append`] wants that witness.
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
//! What was read from a damaged stream offers no way to append:
//!
//! ```compile_fail,E0599
//! # use piton_store::{Event, port::Salvaged};
//! fn go_on<E: Event>(salvaged: Salvaged<E>) {
//!     salvaged.writer();
//! }
//! ```
//!
//! And what can only read cannot lease:
//!
//! ```compile_fail,E0599
//! # use piton_store::{Event, StreamId, port::JournalReader};
//! async fn reader<E: Event>(journal: &dyn JournalReader<E>, stream: &StreamId) {
//!     journal.lease(stream).await;
//! }
//! ```
// shows in part: WR-096, WR-099, WR-100, WR-101 (the examples above that must not build)
// shows in part: WR-433 (the type of what was read from a damaged stream)

use std::{fmt, sync::Arc, time::Duration};

use piton_core::{DedupeKey, Digest, EventIndex, SnapshotRef};

use super::{BoxFuture, Cursor};
use crate::{AppendPlan, Error, Event, Health, StreamId, TornTail, record::Record};

/// The reading half of a journal.
pub trait JournalReader<E: Event>: Send + Sync {
    /// Every stream there is, in byte order of its name: also one that is damaged beyond reading.
    fn streams(&self) -> BoxFuture<'_, Result<Vec<StreamId>, Error>>;

    /// Reads and checks a whole stream. Fails if anything in it is not as it was written.
    ///
    /// It takes no lease unless the newest plan looks incomplete: then it looks again under the
    /// lease, and if a writer holds that, it answers with the stream before that plan.
    fn load<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<LoadedStream<E>, Error>>;

    /// Reads what is valid of a stream, and says what is not. For inspection and export only.
    fn load_validated_prefix<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<SalvagedStream<E>, Error>>;

    /// What was appended since `cursor`; costs one metadata lookup when nothing was.
    fn follow<'a>(
        &'a self,
        stream: &'a StreamId,
        cursor: &'a Cursor,
    ) -> BoxFuture<'a, Result<Follow<E>, Error>>;

    /// The event that carries `key`, if there is one: an optimistic look that takes no lease.
    ///
    /// A hit is durable: if it lies in the newest plan, this call has itself made sure of that.
    fn lookup<'a>(
        &'a self,
        stream: &'a StreamId,
        key: &'a DedupeKey,
    ) -> BoxFuture<'a, Result<Option<EventIndex>, Error>>;

    /// The snapshots that a stream pins, read from its control records alone: no event is read.
    ///
    /// With a cursor, only those pinned after it. Fails if any control record is not valid.
    fn pins<'a>(
        &'a self,
        stream: &'a StreamId,
        since: Option<&'a Cursor>,
    ) -> BoxFuture<'a, Result<Pins, Error>>;

    /// The control records of a stream, in order: no event is read.
    ///
    /// What a writer has not finished is left out. Fails if any control record is not valid. A
    /// journal whose streams have no control records gives none.
    fn records<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Vec<Record>, Error>>;

    /// The time since a plan was last appended to a stream.
    fn age<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Duration, Error>>;

    /// What repairs and interrupted writes took out of a stream, or of all streams, and is kept beside it; in byte
    /// order of streams and names. A stream of which nothing else is left counts too.
    fn set_aside<'a>(
        &'a self,
        stream: Option<&'a StreamId>,
    ) -> BoxFuture<'a, Result<Vec<SetAside>, Error>>;

    /// Every digest in what is set aside of all streams, each once. It may be damaged, so this asks no more of it than
    /// that a digest is written there in full. Whoever collects blobs reads the streams first, and this then: what a
    /// repair moves meanwhile is in one of the two.
    fn digests_set_aside(&self) -> BoxFuture<'_, Result<Vec<Digest>, Error>>;
}

/// A journal: the only way to change a stream.
///
/// Promise:
/// - `append` is atomic and durable when it returns: after any crash a stream holds whole plans,
///   in order, and every plan that was acknowledged.
/// - One writer per stream, across processes. A second one is refused at once.
/// - A plan whose keys are all present is answered from what is there, and changes nothing.
/// - An append that has started ends, also when its caller is gone. Its outcome is then found by
///   repeating it.
/// - What cannot be read is damage, unless a crash before its acknowledgement explains every byte
///   of it: only that is taken back without asking. Nothing that was written is overwritten or
///   removed because of either; it is set aside, and [`JournalReader::set_aside`] lists it.
pub trait Journal<E: Event>: JournalReader<E> {
    /// Locks a stream for writing, and checks its health under the lock. Never waits.
    ///
    /// A stream that does not exist yet is leased empty; it exists once something is appended.
    fn lease<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<StreamLease, Error>>;

    /// Appends a plan.
    ///
    /// The plan is queued when this is called, not when the future is first polled: plans of one
    /// lease are written in the order of the calls, and those that wait together may share one
    /// sync. Each plan must start at the index after the plan before it. After a failure the
    /// lease is spent: what waits behind it fails too, and nothing more is written through it.
    fn append<'a>(
        &'a self,
        writer: &Writer<'_>,
        plan: AppendPlan<E>,
    ) -> BoxFuture<'a, Result<Appended, Error>>;

    /// Removes a stream. It disappears at once; what it held is removed after that.
    fn delete(&self, lease: StreamLease) -> BoxFuture<'_, Result<(), Error>>;

    /// Checks a whole stream as the medium holds it, not as it is cached, and lifts the mark that
    /// a failed sync left if the stream is sound.
    fn verify<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<StreamVerification, Error>>;

    /// Rolls a corrupt stream back to its last whole plan, and keeps what it takes away.
    ///
    /// If it fails or is cut off at any point, the stream is damaged still or repaired, everything
    /// it held is in it or set aside, and repairing again finishes it.
    fn repair<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<StreamRepair, Error>>;
}

/// A whole stream, checked.
#[derive(Debug)]
pub struct LoadedStream<E> {
    /// Every event, in order.
    pub events: Vec<E>,
    /// Where this reading ended.
    pub cursor: Cursor,
    /// Bytes at the end that were never acknowledged.
    pub torn_tail: Option<TornTail>,
}

/// The valid part of a stream that may be damaged. It cannot be written to.
#[derive(Debug)]
pub struct SalvagedStream<E> {
    /// The events before the first thing that is not valid.
    pub events: Vec<E>,
    /// What is wrong, if anything.
    pub health: Health,
    /// Bytes at the end that were never acknowledged.
    pub torn_tail: Option<TornTail>,
}

/// What happened to a stream since a cursor.
#[derive(Debug)]
pub enum Follow<E> {
    /// Nothing.
    Unchanged,
    /// These events came after it.
    Appended {
        /// The new events, in order.
        events: Vec<E>,
        /// Where this reading ended.
        cursor: Cursor,
    },
    /// The stream was cut, repaired or deleted: what was read before no longer stands. Load anew.
    Replaced,
}

/// The pinned snapshots of a stream.
#[derive(Debug)]
pub struct Pins {
    /// The snapshots, in the order of their pins, each once.
    pub snapshots: Vec<SnapshotRef>,
    /// Where this reading ended.
    pub cursor: Cursor,
}

/// What an append did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// The plan is now part of the stream.
    Committed {
        /// The index of its first event.
        first: EventIndex,
        /// The index of its last event.
        last: EventIndex,
    },
    /// Every event of the plan was there already.
    AlreadyPresent {
        /// Where, in the order of the plan.
        indices: Vec<EventIndex>,
    },
}

/// What `verify` found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamVerification {
    /// How sound the stream is.
    pub health: Health,
    /// How many events are valid.
    pub events: u64,
    /// How many events a repair leaves in it.
    pub repairable: u64,
    /// Bytes at the end that were never acknowledged.
    pub torn_tail: Option<TornTail>,
    /// How many plans beside it never became part of it: their writes failed or were cut off, unless
    /// the newest control records were taken away without a trace.
    pub unfinished: usize,
    /// Whether the mark of a failed sync was there and has been lifted.
    pub mark_lifted: bool,
}

/// What `repair` did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamRepair {
    /// What was wrong.
    pub was: Health,
    /// The index that the next event will have now.
    pub next_event: EventIndex,
    /// Plans whose control records were damaged or gone and were written again, because everything else of them is whole.
    pub rewritten: u64,
    /// Events that the stream is known to have had and that it does not have any more.
    pub lost: u64,
    /// Where what it took away is kept, if there was anything to take.
    pub backup: Option<SetAside>,
}

/// Something that was taken out of a stream and is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The stream.
    pub stream: StreamId,
    /// Its name, beside the stream.
    pub name: String,
    /// Where a person finds it.
    pub place: String,
    /// How many files it has.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What an adapter keeps inside a lease.
pub(crate) trait LeaseHold: Send + Sync {
    /// The adapter's own view of it.
    fn as_any(&self) -> &dyn std::any::Any;
    /// Where the stream ends, of plans committed so far.
    fn cursor(&self) -> Cursor;
}

/// The right to write to one stream, given by [`Journal::lease`]; freed when dropped.
///
/// An append that still runs keeps the lock until it has ended.
pub struct StreamLease {
    pub(crate) stream: StreamId,
    pub(crate) epoch: u64,
    pub(crate) torn_tail: Option<TornTail>,
    pub(crate) hold: Arc<dyn LeaseHold>,
}

impl StreamLease {
    /// The stream.
    pub fn stream(&self) -> &StreamId {
        &self.stream
    }

    /// A number that only grows from lease to lease of one stream, by which a writer that lost
    /// its lease can be told from the one that has it.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The index that the next event will have, of plans committed so far.
    pub fn next_event(&self) -> EventIndex {
        self.cursor().next_event()
    }

    /// Where the stream ends, of plans committed so far. Who has read up to the lease's beginning and
    /// knows what it appended itself can go on from here.
    pub fn cursor(&self) -> Cursor {
        self.hold.cursor()
    }

    /// Bytes that no append acknowledged, found at the end; the next append puts them aside.
    pub fn torn_tail(&self) -> Option<TornTail> {
        self.torn_tail
    }

    /// The witness that [`Journal::append`] wants.
    pub fn writer(&self) -> Writer<'_> {
        Writer { lease: self }
    }
}

impl fmt::Debug for StreamLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StreamLease({}, epoch {})", self.stream, self.epoch)
    }
}

/// Proof that its bearer holds a stream's lease.
#[derive(Debug)]
pub struct Writer<'lease> {
    lease: &'lease StreamLease,
}

impl<'lease> Writer<'lease> {
    /// The lease that it stands for.
    pub fn lease(&self) -> &'lease StreamLease {
        self.lease
    }
}
