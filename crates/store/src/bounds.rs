//! Every limit of the store in one place, each with its reason.

use std::time::Duration;

use crate::Error;

/// Refuses what is larger than one of the limits below.
pub(crate) fn check_size(what: &'static str, measured: usize, max: usize) -> Result<(), Error> {
    if measured <= max {
        return Ok(());
    }
    Err(Error::TooLarge { what, measured: measured as u64, max: max as u64 })
}

/// Events in one plan. A plan is one segment; a step of a workflow writes about ten events, an
/// imported session is cut into plans of this size.
pub const PLAN_EVENTS_MAX: usize = 5_000;

/// Bytes of one plan's encoded events, so that a segment can be read and checked in one go.
pub const PLAN_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Blobs that one plan may bring along. A step brings a snapshot and its artifacts; each blob is a file and a sync.
pub const PLAN_BLOBS_MAX: usize = 1_000;

/// Bytes of one blob. Larger content belongs in a file of the project, referred to by digest.
pub const BLOB_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Bytes of a stream's manifest or log: far beyond any real run, small enough to load.
pub const STREAM_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;

/// Characters of a stream's or a lease's name, so that it fits in a file name.
pub const NAME_BYTES_MAX: usize = 96;

/// Plans that may wait in one lease's queue before `append` refuses more: a disk that is so far behind will not catch
/// up, and what waits is in memory.
pub const QUEUE_PLANS_MAX: usize = 1_024;

/// Bytes that one group commit of the log layout writes before it syncs, so that the first of its plans does not wait
/// for all that came after it.
pub const GROUP_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Streams whose tail a process keeps in memory: more than a server writes to at a time. The least recently used goes
/// first.
pub const TAILS_CACHED_MAX: usize = 256;

/// Bytes of a control record, or of the digest in it, that may differ from what its segment says if a repair takes the
/// two for one another. At least 56 of the 64 characters of the digest are as they were then, which are 224 bits: no
/// other segment has them.
pub const RECORD_CHANGED_BYTES_MAX: usize = 8;

/// The unit in which disks tear writes: a group's inner lines never end on a multiple of it.
pub const SECTOR_BYTES: u64 = 512;

/// How long a writer waits for a sweep to let it through before it reports that the store is busy: many times
/// [`SWEEP_BATCH`].
pub const COLLECTION_WAIT: Duration = Duration::from_secs(1);

/// How long a sweep waits for the writers to let it through. They hold the lease for one append each.
pub const SWEEP_WAIT: Duration = Duration::from_secs(30);

/// How long one sweep batch may keep writers out: not longer than a person notices.
pub const SWEEP_BATCH: Duration = Duration::from_millis(50);

/// A blob younger than this is never swept: its plan may not have been written yet.
pub const SWEEP_AGE_MIN: Duration = Duration::from_hours(1);

/// Blobs listed at a time by a sweep, so that a list of any length takes little memory.
pub const SWEEP_PAGE: usize = 10_000;

/// Candidates looked at between two clock readings of a sweep: they take a small part of [`SWEEP_BATCH`].
pub const SWEEP_STRIDE: usize = 64;

/// How long SQLite waits for another process's write before the commit reports that it is busy.
pub const TABLE_BUSY_WAIT: Duration = Duration::from_secs(5);

/// How long such a wait pauses between two looks: about as long as a commit takes.
pub const TABLE_BUSY_PAUSE: Duration = Duration::from_millis(1);

/// Bytes of a table key: ids, names and paths go there, and no content.
pub const TABLE_KEY_BYTES_MAX: usize = 1_024;

/// Bytes of a table value; larger content is a blob.
pub const TABLE_VALUE_BYTES_MAX: usize = 1024 * 1024;

/// Keys in one table commit. Who writes more can be cut off in between anyway.
pub const TABLE_BATCH_MAX: usize = 10_000;

/// Bytes of keys and values in one commit, so that one commit cannot fill the write-ahead log.
pub const TABLE_BATCH_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Bytes of keys and values in one page of a scan; a page that reaches it ends there.
pub const TABLE_PAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Entries in one page of a table scan, so that a page of small values ends too.
pub const TABLE_PAGE_MAX: usize = 10_000;

/// Keys that are read together: as many of the largest values fill a page.
pub const TABLE_GET_MAX: usize = TABLE_PAGE_BYTES_MAX / TABLE_VALUE_BYTES_MAX;

/// Size of SQLite's write-ahead log above which a commit tries to fold it back, and `doctor` warns.
pub const TABLE_WAL_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Bytes of one cached projection: as many as of a blob, far beyond what is computed from any stream.
pub const CACHE_ENTRY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How long opening a data directory waits for another process that is bringing it to a newer format, or that has
/// it open while this one wants to.
pub const FORMAT_WAIT: Duration = Duration::from_secs(2);

/// The largest `format.json` in bytes: two numbers, and room for what later versions say.
pub const FORMAT_FILE_BYTES_MAX: u64 = 4096;

/// Bytes of `keyring.json`: longer than any ring that is written here.
pub const KEYRING_BYTES_MAX: u64 = 4_096;

/// How often a process that wants to write the key ring looks whether another one is done, before it gives up: for one
/// second, since writing a ring takes a few syncs.
pub const KEYRING_ATTEMPTS: u32 = 200;

/// How long it pauses between two of those looks: about as long as a sync takes.
pub const KEYRING_PAUSE: Duration = Duration::from_millis(5);

/// How often a stream's directory is made and locked anew when others delete it in between. Each time takes a
/// deletion by another process at just that moment.
pub const LOCK_ATTEMPTS: u32 = 8;

/// Threads that a process keeps for syncs that run side by side. They serve all its appends, and wait for the disk.
pub const SYNC_THREADS: usize = 6;

/// Syncs of one append that run side by side: about as many as it has, while a disk gains from each.
pub const SYNC_WIDTH: usize = 4;

/// How long a caller that waits for a lease pauses between two looks: shorter than most appends hold it.
pub const LEASE_PAUSE: Duration = Duration::from_micros(500);

/// A wait for a lease that is worth a notice: a person can feel it.
pub const LEASE_NOTICE_AFTER: Duration = Duration::from_millis(100);

/// Pages in the write-ahead log after which a commit folds it back: about 4 MB.
pub const TABLE_CHECKPOINT_PAGES: u32 = 1_000;

/// How long one try to fold a large log back waits for readers.
pub const TABLE_FOLD_WAIT: Duration = Duration::from_millis(100);

/// Bytes that are shown of a key: enough to recognise what it is of.
pub const TABLE_KEY_SHOWN_MAX: usize = 160;

/// Damaged entries that a check or a repair names, one by one; the others are counted.
pub const TABLE_DAMAGED_SHOWN_MAX: usize = 100;

/// Entries that a repair of the table reads at a time, and writes in one transaction.
pub const TABLE_SALVAGE_ROWS: usize = 1_000;

/// Places at which a repair of the table tries to read on: a key has up to 1,024 bytes and a byte 256 values, so this is
/// enough for a few damaged pages among keys of every length, and takes seconds.
pub const TABLE_PROBES_MAX: u32 = 200_000;

/// How many replies are kept for a client that may have lost its connection. A client has few calls under way at once.
pub const REPLIES_PER_CLIENT_MAX: usize = 64;

/// How many bytes of replies are kept for a client; a reply that is longer is not kept. Most have a few kilobytes.
pub const REPLY_BYTES_PER_CLIENT_MAX: usize = 2 * 1024 * 1024;

/// For how many clients replies are kept. With what is kept for each, that bounds the disk that they take to 512 MiB.
pub const REPLY_CLIENTS_MAX: usize = 256;

/// For how long the replies of a client are kept after the last one. Clients come back within seconds; a server that is
/// started anew, or a laptop that slept through a meeting, takes longer.
pub const REPLY_TIME: Duration = Duration::from_hours(1);
