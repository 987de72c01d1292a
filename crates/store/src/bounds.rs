//! Every limit of the store in one place, each with its reason.

use std::time::Duration;

/// Events in one plan. A plan is one segment; a step of a workflow writes about ten events, an
/// imported session is cut into plans of this size.
pub const PLAN_EVENTS_MAX: usize = 5_000;

/// Bytes of one plan's encoded events, so that a segment can be read and checked in one go.
pub const PLAN_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Blobs that one plan may bring along.
pub const PLAN_BLOBS_MAX: usize = 1_000;

/// Bytes of one blob. Larger content belongs in a file of the project, referred to by digest.
pub const BLOB_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Bytes of a stream's manifest or log: far beyond any real run, small enough to load.
pub const STREAM_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;

/// Characters of a stream's or a lease's name, so that it fits in a file name.
pub const NAME_BYTES_MAX: usize = 96;

/// Plans that may wait in one lease's queue before `append` refuses more.
pub const QUEUE_PLANS_MAX: usize = 1_024;

/// Bytes that one group commit of the log layout writes before it syncs.
pub const GROUP_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Streams whose tail a process keeps in memory; the least recently used goes first.
pub const TAILS_CACHED_MAX: usize = 256;

/// The unit in which disks tear writes: a group's inner lines never end on a multiple of it.
pub const SECTOR_BYTES: u64 = 512;

/// How long a writer waits for a sweep to let it through before it reports that the store is busy.
pub const COLLECTION_WAIT: Duration = Duration::from_secs(1);

/// How long one sweep batch may keep writers out.
pub const SWEEP_BATCH: Duration = Duration::from_millis(50);

/// A blob younger than this is never swept: its plan may not have been written yet.
pub const SWEEP_AGE_MIN: Duration = Duration::from_hours(1);

/// Blobs listed at a time by a sweep.
pub const SWEEP_PAGE: usize = 10_000;

/// Candidates looked at between two clock readings of a sweep.
pub const SWEEP_STRIDE: usize = 64;

/// How long SQLite waits for another process's write before the commit reports that it is busy.
pub const TABLE_BUSY_WAIT: Duration = Duration::from_secs(5);

/// How long such a wait pauses between two looks: about as long as a commit takes.
pub const TABLE_BUSY_PAUSE: Duration = Duration::from_millis(1);

/// Bytes of a table key and of a table value.
pub const TABLE_KEY_BYTES_MAX: usize = 1_024;

/// Bytes of a table value; larger content is a blob.
pub const TABLE_VALUE_BYTES_MAX: usize = 1024 * 1024;

/// Keys in one table commit.
pub const TABLE_BATCH_MAX: usize = 10_000;

/// Bytes of keys and values in one commit, so that one commit cannot fill the write-ahead log.
pub const TABLE_BATCH_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Bytes of keys and values in one page of a scan; a page that reaches it ends there.
pub const TABLE_PAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Entries in one page of a table scan.
pub const TABLE_PAGE_MAX: usize = 10_000;

/// Keys that are read together: as many of the largest values fill a page.
pub const TABLE_GET_MAX: usize = TABLE_PAGE_BYTES_MAX / TABLE_VALUE_BYTES_MAX;

/// Size of SQLite's write-ahead log above which a commit tries to fold it back, and `doctor` warns.
pub const TABLE_WAL_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Bytes of one cached projection.
pub const CACHE_ENTRY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How long opening a data directory waits for another process that is bringing it to a newer format, or that has
/// it open while this one wants to.
pub const FORMAT_WAIT: Duration = Duration::from_secs(2);

/// The largest `format.json` in bytes: two numbers, and room for what later versions say.
pub const FORMAT_FILE_BYTES_MAX: u64 = 4096;

/// Longer than any ring that is written here.
pub const KEYRING_BYTES_MAX: u64 = 4_096;

/// How often it looks before it gives up: for one second. Writing a ring takes a few syncs.
pub const KEYRING_ATTEMPTS: u32 = 200;

/// How often a waiting caller looks again.
pub const LEASE_PAUSE: Duration = Duration::from_micros(500);

/// A wait that is worth a notice.
pub const LEASE_NOTICE_AFTER: Duration = Duration::from_millis(100);

/// Pages in the write-ahead log after which a commit folds it back: about 4 MB.
pub const TABLE_CHECKPOINT_PAGES: u32 = 1_000;

/// How long one try to fold a large log back waits for readers.
pub const TABLE_FOLD_WAIT: Duration = Duration::from_millis(100);
