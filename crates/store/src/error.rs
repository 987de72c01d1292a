//! The store's errors, and how each is reported to a person or an agent.

use std::{io, sync::Arc};

use piton_core::{Code, Digest, Envelope, EventIndex, Retry, error::sentence};

use crate::{
    Health, StreamId,
    bounds::{PLAN_BLOBS_MAX, PLAN_BYTES_MAX, PLAN_EVENTS_MAX, STREAM_BYTES_MAX},
    port::BlobNamespace,
};

/// Everything that can go wrong in the store.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The medium refused an operation.
    #[error("could not {operation}: {source}")]
    Io {
        /// The failed operation, in words that follow "could not".
        operation: &'static str,
        source: Arc<io::Error>,
    },
    /// Another writer holds the stream.
    #[error("another process is writing to {}", stream.phrase())]
    Locked { stream: StreamId },
    /// Something did not become free in time.
    #[error("{what} is in use elsewhere; waited {waited_ms} ms for it")]
    Busy {
        /// The thing that is in use.
        what: String,
        waited_ms: u64,
    },
    #[error("there is no {}", stream.phrase().trim_start_matches("the "))]
    NotFound { stream: StreamId },
    /// The stream is damaged, or a newer program wrote it.
    #[error(
        "{} {}: {health}",
        stream.phrase(),
        if health.is_newer() { "was written by a newer Piton" } else { "is damaged" }
    )]
    NotHealthy { stream: StreamId, health: Health },
    /// The file that decides what is part of the stream is longer than it can be.
    #[error(
        "{} is damaged: its control file has {measured} bytes, and none has more than {STREAM_BYTES_MAX}",
        stream.phrase()
    )]
    ControlTooLong { stream: StreamId, measured: u64 },
    /// A sync of the stream failed and could not be undone; the state of the medium is unknown.
    #[error("a write to {} failed on the disk, and what the disk holds is not known", stream.phrase())]
    Poisoned { stream: StreamId },
    /// An earlier append through this lease failed, so it allows no more.
    #[error("the lease of {} is spent: an append before this one failed", stream.phrase())]
    LeaseSpent { stream: StreamId },
    /// The lease was granted by another journal.
    #[error("the lease of {} was not given by this journal", stream.phrase())]
    ForeignLease { stream: StreamId },
    /// The plan breaks a rule.
    #[error("the plan for {} was refused: {problem}", stream.phrase())]
    PlanRefused { stream: StreamId, problem: PlanProblem },
    /// A value is larger than the store accepts.
    #[error("{what} has {measured} bytes; at most {max} are stored")]
    TooLarge { what: &'static str, measured: u64, max: u64 },
    /// Keys of a table commit were not as expected.
    #[error("{} of the keys changed since they were read", keys.len())]
    Conflict {
        /// Positions of those keys in the batch.
        keys: Vec<usize>,
    },
    /// A call breaks a rule.
    #[error("the call was refused: {problem}")]
    BadRequest { problem: &'static str },
    /// A blob that something refers to does not exist.
    #[error("there is no blob {digest} in {namespace}")]
    BlobMissing { namespace: BlobNamespace, digest: Digest },
    /// A blob's bytes do not match its digest.
    #[error("the blob {digest} in {namespace} was changed after it was written")]
    BlobCorrupt { namespace: BlobNamespace, digest: Digest },
    /// The data directory is on a file system that cannot keep the store's promises.
    #[error(
        "the data directory is on a network file system ({file_system}), where locks and syncs do not hold"
    )]
    UnsupportedFileSystem { file_system: String },
    /// The file that holds the tables is not a sound database.
    #[error("could not {operation}: table.sqlite3 is damaged")]
    TableDamaged {
        /// The failed operation, in words that follow "could not".
        operation: &'static str,
    },
    /// The file that holds the tables is not the one that was there before.
    #[error(
        "table.sqlite3 is not the one that this data directory had: it was deleted or replaced"
    )]
    TableReplaced,
    /// An entry of a table is not as it was written.
    #[error(
        "an entry of the table `{table}` in table.sqlite3 was changed after it was written: {key}"
    )]
    EntryDamaged {
        table: String,
        /// The key, formatted for display.
        key: String,
    },
    /// SQLite refused an operation.
    #[error("could not {operation}: {message}")]
    Sql {
        /// The failed operation, in words that follow "could not".
        operation: &'static str,
        message: String,
    },
    #[error("the key ring is damaged: {problem}")]
    KeyringCorrupt { problem: &'static str },
    /// The file that states the format of the data directory cannot be understood.
    #[error("format.json in the data directory cannot be understood")]
    FormatCorrupt,
    /// The directory chosen for data holds something else.
    #[error("the directory holds `{name}`, which Piton did not put there")]
    ForeignDirectory {
        /// Name of an entry that Piton did not put there.
        name: String,
    },
    #[error("the program is stopping")]
    ShuttingDown,
    /// Something durable was written by a version that this program does not know.
    #[error("{what} has version {found}; this Piton knows {known}")]
    UnsupportedVersion { what: &'static str, found: u64, known: u64 },
}

/// Rule that a plan breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanProblem {
    #[error("it has no events")]
    Empty,
    /// The plan has too many events, blobs or bytes.
    #[error(
        "events: {events} (at most {PLAN_EVENTS_MAX}), blobs: {blobs} (at most {PLAN_BLOBS_MAX}), \
         bytes of events: {bytes} (at most {PLAN_BYTES_MAX})"
    )]
    TooLarge {
        events: usize,
        blobs: usize,
        /// Size of the encoded events, as far as they were encoded.
        bytes: usize,
    },
    #[error("{waiting} plans wait already")]
    QueueFull { waiting: usize },
    /// An event has an index that does not continue the stream.
    #[error("an event has index {found}, and the stream continues at {expected}")]
    IndexOutOfOrder { expected: EventIndex, found: EventIndex },
    #[error("the event at {index} belongs to another stream")]
    ForeignEvent { index: EventIndex },
    /// Two of the plan's events share a dedupe key or an id.
    #[error("the event at {index} repeats the dedupe key or the id of another event of the plan")]
    Repeated {
        /// The later of the two events.
        index: EventIndex,
    },
    /// Some of the plan's events are in the stream already, and some are not.
    #[error("{present} of its {events} events are in the stream already, and the others are not")]
    PartlyPresent {
        /// Number of the plan's events that are in the stream.
        present: usize,
        /// Number of all the plan's events.
        events: usize,
    },
    #[error("the event at {index} has no canonical form: {reason}")]
    NotCanonical { index: EventIndex, reason: String },
}

impl Error {
    #[cfg(feature = "local")]
    pub(crate) fn io(operation: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { operation, source: Arc::new(source) }
    }

    /// Returns the closed code that stands for this error.
    pub fn code(&self) -> Code {
        match self {
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Code::StoreFull,
                _ => Code::StoreIo,
            },
            Self::Locked { stream } if stream.is_session() => Code::SessionLocked,
            Self::Locked { .. } => Code::BackpackLocked,
            Self::Busy { .. }
            | Self::ShuttingDown
            | Self::PlanRefused { problem: PlanProblem::QueueFull { .. }, .. } => Code::StoreBusy,
            Self::NotFound { stream } if stream.is_session() => Code::SessionNotFound,
            Self::NotFound { .. } => Code::BackpackNotFound,
            Self::NotHealthy { health, .. } if health.is_newer() => Code::StoreUnsupportedVersion,
            Self::NotHealthy { stream, .. } | Self::ControlTooLong { stream, .. }
                if stream.is_session() =>
            {
                Code::SessionNotHealthy
            }
            Self::Poisoned { stream } if stream.is_session() => Code::SessionPoisoned,
            Self::NotHealthy { .. } | Self::ControlTooLong { .. } | Self::Poisoned { .. } => {
                Code::BackpackDamaged
            }
            Self::PlanRefused { problem: PlanProblem::TooLarge { .. }, .. }
            | Self::TooLarge { .. } => Code::StoreLimitExceeded,
            Self::LeaseSpent { .. }
            | Self::ForeignLease { .. }
            | Self::PlanRefused { .. }
            | Self::FormatCorrupt
            | Self::BadRequest { .. } => Code::StoreInvariantViolation,
            Self::Conflict { .. } => Code::StoreConflict,
            Self::BlobMissing { .. } => Code::StoreNotFound,
            Self::BlobCorrupt { .. } => Code::StoreCorruptBlob,
            Self::UnsupportedFileSystem { .. } => Code::StoreUnsupportedFilesystem,
            Self::Sql { .. } => Code::StoreIo,
            Self::TableDamaged { .. } | Self::TableReplaced | Self::EntryDamaged { .. } => {
                Code::StoreTableDamaged
            }
            Self::KeyringCorrupt { .. } => Code::KeyringCorrupt,
            Self::ForeignDirectory { .. } => Code::ValidationError,
            Self::UnsupportedVersion { .. } => Code::StoreUnsupportedVersion,
        }
    }

    /// Returns the envelope that a caller gets, with the next thing to do.
    pub fn envelope(&self) -> Envelope {
        let envelope = Envelope::new(self.code(), sentence(&self.to_string()));
        if let Self::NotHealthy { stream, .. } | Self::Poisoned { stream } = self
            && envelope.code != Code::StoreUnsupportedVersion
        {
            let placeholder = if stream.is_session() { "SESSION" } else { "BACKPACK" };
            return envelope.with_name(placeholder, stream);
        }
        let advice = match self {
            Self::LeaseSpent { .. } => {
                "Take the lease again, load the stream and go on from there."
            }
            Self::PlanRefused {
                problem: PlanProblem::IndexOutOfOrder { .. } | PlanProblem::PartlyPresent { .. },
                ..
            } => "Nothing was written. Load the stream and make the plan on what it holds now.",
            Self::TableReplaced => {
                "Nothing was touched. Stop every Piton, remove table.sqlite3-wal and table.sqlite3-shm, and put the \
                 backup of table.sqlite3 in place. If you did so already, or have no backup, accept the file that is \
                 there with `piton data repair`; what was only in the lost one is gone."
            }
            Self::FormatCorrupt => {
                "Nothing was touched. Move format.json of the data directory aside and run the command again: Piton \
                 writes it anew. Do so only if no newer Piton used the directory."
            }
            Self::ForeignDirectory { .. } => {
                "Nothing was touched. Choose an empty directory with `PITON_DATA_DIR`, or one that Piton made."
            }
            Self::NotHealthy { health: Health::UnknownVersion { .. }, .. } => {
                "Nothing was touched. Upgrade Piton: use the version that wrote it, or a newer one."
            }
            Self::ControlTooLong { .. } => {
                "Nothing of it was read. Restore the data directory from a backup; repairing cannot help here."
            }
            _ if envelope.code == Code::StoreInvariantViolation => {
                "Nothing was written. The program that made this call has a mistake: please report it."
            }
            _ => return envelope,
        };
        let retry = match self {
            Self::LeaseSpent { .. } => Retry::RetryableImmediate,
            _ => Retry::NotRetryable,
        };
        envelope.with_suggestion(advice).with_retry(retry)
    }
}

impl From<Error> for Envelope {
    fn from(error: Error) -> Self {
        error.envelope()
    }
}
