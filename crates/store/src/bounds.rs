//! Every limit of the store in one place, each with its reason.

use std::time::Duration;

use crate::Error;

/// Refuses anything that is larger than one of the limits below.
pub(crate) fn check_size(what: &'static str, measured: usize, max: usize) -> Result<(), Error> {
    if measured <= max {
        return Ok(());
    }
    Err(Error::TooLarge { what, measured: measured as u64, max: max as u64 })
}

/// Maximum number of events in one plan. A plan is one segment; a step of a workflow writes about ten events, and an
/// imported session is split into plans of this size.
pub const PLAN_EVENTS_MAX: usize = 5_000;

/// Maximum size of one plan's encoded events, so that a segment can be read and checked in one go.
pub const PLAN_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Maximum number of blobs that one plan may bring along. A step brings a snapshot and its artifacts; each blob is a
/// file and a sync.
pub const PLAN_BLOBS_MAX: usize = 1_000;

/// Maximum size of one blob. Larger content belongs in a file of the project, referred to by digest.
pub const BLOB_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Maximum size of a stream's manifest or log: far beyond any real run, small enough to load.
pub const STREAM_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;

/// Maximum length of the name of a stream or a lease, so that it fits in a file name.
pub const NAME_BYTES_MAX: usize = 96;

/// Maximum number of plans that may wait in one lease's queue before `append` refuses more: a disk that is so far
/// behind will not catch up, and waiting plans are in memory.
pub const QUEUE_PLANS_MAX: usize = 1_024;

/// Size at which one group commit of the log layout stops taking plans and syncs, so that the first of its plans does
/// not wait for everything that came after it.
pub const GROUP_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Maximum number of streams whose tail a process keeps in memory: more than a server writes to at a time. The least
/// recently used goes first.
pub const TAILS_CACHED_MAX: usize = 256;

/// Maximum number of bytes in which a control record, or the digest in it, may differ from what its segment says if a
/// repair is to match the two. At least 56 of the 64 characters of the digest are then unchanged, which is 224 bits: no
/// other segment has them.
pub const RECORD_CHANGED_BYTES_MAX: usize = 8;

/// Unit in which disks tear writes. A group's inner lines never end on a multiple of it.
pub const SECTOR_BYTES: u64 = 512;

/// Time that a writer waits for a sweep to let it through before it reports that the store is busy: many times
/// [`SWEEP_BATCH`].
pub const COLLECTION_WAIT: Duration = Duration::from_secs(1);

/// Time that a sweep waits for writers to let it through. Each of them holds the lease for one append.
pub const SWEEP_WAIT: Duration = Duration::from_secs(30);

/// Time for which one batch of a sweep may keep writers out: not longer than a person notices.
pub const SWEEP_BATCH: Duration = Duration::from_millis(50);

/// Minimum age at which a blob may be swept: the plan of a younger one may not have been written yet.
pub const SWEEP_AGE_MIN: Duration = Duration::from_hours(1);

/// Number of blobs that a sweep lists at a time, so that a list of any length takes little memory.
pub const SWEEP_PAGE: usize = 10_000;

/// Number of candidates that a sweep examines between two clock readings: they take a small part of [`SWEEP_BATCH`].
pub const SWEEP_STRIDE: usize = 64;

/// Time that SQLite waits for another process's write before the commit reports that it is busy.
pub const TABLE_BUSY_WAIT: Duration = Duration::from_secs(5);

/// Pause between two attempts during such a wait: about as long as a commit takes.
pub const TABLE_BUSY_PAUSE: Duration = Duration::from_millis(1);

/// Maximum size of a table key: keys hold ids, names and paths, but no content.
pub const TABLE_KEY_BYTES_MAX: usize = 1_024;

/// Maximum size of a table value; larger content is a blob.
pub const TABLE_VALUE_BYTES_MAX: usize = 1024 * 1024;

/// Maximum number of keys in one table commit. A caller with more can be interrupted in between anyway.
pub const TABLE_BATCH_MAX: usize = 10_000;

/// Maximum size of the keys and values in one commit, so that one commit cannot fill the write-ahead log.
pub const TABLE_BATCH_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Maximum size of the keys and values in one page of a scan; a page that reaches it ends there.
pub const TABLE_PAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Maximum number of entries in one page of a table scan, so that a page of small values ends too.
pub const TABLE_PAGE_MAX: usize = 10_000;

/// Maximum number of keys read together: that many of the largest values fill a page.
pub const TABLE_GET_MAX: usize = TABLE_PAGE_BYTES_MAX / TABLE_VALUE_BYTES_MAX;

/// Size of SQLite's write-ahead log above which a commit tries to fold it back, and `doctor` warns.
pub const TABLE_WAL_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Maximum size of one cached projection: the same as for a blob, and far beyond what is computed from any stream.
pub const CACHE_ENTRY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Time that opening a data directory waits for another process that is migrating it to a newer format, or that has it
/// open while this process wants to migrate it.
pub const FORMAT_WAIT: Duration = Duration::from_secs(2);

/// Maximum size of `format.json`: two numbers, and room for what later versions add.
pub const FORMAT_FILE_BYTES_MAX: u64 = 4096;

/// Maximum size of `keyring.json`: larger than any ring that is written here.
pub const KEYRING_BYTES_MAX: u64 = 4_096;

/// Time that a process that wants to write the key ring waits for another one: writing a ring takes a few syncs.
pub const KEYRING_WAIT: Duration = Duration::from_secs(1);

/// Number of times that a stream's directory is created and locked again when others delete it in between. Each retry
/// takes a deletion by another process at just that moment.
pub const LOCK_ATTEMPTS: u32 = 8;

/// Number of threads that a process keeps for syncs that run in parallel. They serve all its appends, and wait for the
/// disk.
pub const SYNC_THREADS: usize = 6;

/// Number of syncs of one append that run in parallel: about as many as it has, as long as a disk gains from each.
pub const SYNC_WIDTH: usize = 4;

/// Pause between two attempts of a caller that waits for a lease: shorter than most appends hold it.
pub const LEASE_PAUSE: Duration = Duration::from_micros(500);

/// Length of a wait for a lease that is worth a notice: a person can feel it.
pub const LEASE_NOTICE_AFTER: Duration = Duration::from_millis(100);

/// Number of pages in the write-ahead log after which a commit folds it back: about 4 MB.
pub const TABLE_CHECKPOINT_PAGES: u32 = 1_000;

/// Time that one attempt to fold a large log back waits for readers.
pub const TABLE_FOLD_WAIT: Duration = Duration::from_millis(100);

/// Maximum length of a key when displayed: enough to recognise what it belongs to.
pub const TABLE_KEY_SHOWN_MAX: usize = 160;

/// Number of damaged entries that a check or a repair names one by one; the others are counted.
pub const TABLE_DAMAGED_SHOWN_MAX: usize = 100;

/// Number of entries that a repair of the table reads at a time, and writes in one transaction.
pub const TABLE_SALVAGE_ROWS: usize = 1_000;

/// Maximum number of places at which a repair of the table tries to resume reading. A key has up to 1,024 bytes and a
/// byte 256 values, so this is enough for a few damaged pages among keys of every length, and takes seconds.
pub const TABLE_PROBES_MAX: u32 = 200_000;

/// Maximum number of replies kept for a client that may have lost its connection. A client has few calls in flight at
/// once.
pub const REPLIES_PER_CLIENT_MAX: usize = 64;

/// Maximum size of the replies kept for a client; a longer reply is not kept. Most have a few kilobytes.
pub const REPLY_BYTES_PER_CLIENT_MAX: usize = 2 * 1024 * 1024;

/// Maximum number of clients for which replies are kept. Together with the limit for each client, this bounds their
/// disk usage to 512 MiB.
pub const REPLY_CLIENTS_MAX: usize = 256;

/// Time for which the replies of a client are kept after the last one. Clients come back within seconds; a server that
/// restarts, or a laptop that slept through a meeting, takes longer.
pub const REPLY_TIME: Duration = Duration::from_hours(1);

/// Number of segments that are read and parsed together, which bounds what is in memory before it is checked.
pub const SEGMENTS_TOGETHER: usize = 2_048;

/// Number of segments from which on several threads read them. Fewer are read before the threads have started.
pub const SEGMENTS_PARALLEL_MIN: usize = 256;

/// Maximum number of threads that read one stream: a reader must not take a whole machine from the agents on it.
pub const READ_THREADS_MAX: usize = 4;

/// Maximum size of a token of the index. Longer words are rare and are mostly digests; they are split.
pub const INDEX_TOKEN_BYTES_MAX: usize = 64;

/// Maximum size of the name of a source or of a document in the index: an id, a path or a key, like a table key.
pub const INDEX_NAME_BYTES_MAX: usize = TABLE_KEY_BYTES_MAX;

/// Maximum size of the cursor of a source: a few numbers.
pub const INDEX_CURSOR_BYTES_MAX: usize = 256;

/// Maximum number of documents of one source: more than a session has runs, or a project directory has frames.
pub const INDEX_DOCUMENTS_MAX: usize = 10_000;

/// Maximum size of the text of one document: many times the notes of a step.
pub const INDEX_TEXT_BYTES_MAX: usize = 64 * 1024;

/// Maximum size of what one document returns: many times the summary of a run.
pub const INDEX_PAYLOAD_BYTES_MAX: usize = 256 * 1024;

/// Maximum number of fields of one document: twice what a run has.
pub const INDEX_FIELDS_MAX: usize = 32;

/// Maximum size of a text in a field: fields hold ids, names and paths.
pub const INDEX_FIELD_BYTES_MAX: usize = 1_024;

/// Maximum number of sources that one call replaces or removes, so that it does not keep other writers waiting.
pub const INDEX_BATCH_MAX: usize = 256;

/// Maximum size of the documents that one call replaces.
pub const INDEX_BATCH_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Maximum number of sources in one page of cursors or of a scan.
pub const INDEX_PAGE_MAX: usize = 10_000;

/// Size of payloads at which a page of a scan ends.
pub const INDEX_PAGE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Maximum number of hits in one page: more than a screen shows.
pub const INDEX_HITS_MAX: usize = 200;

/// Maximum number of fields that one query counts.
pub const INDEX_FACETS_MAX: usize = 8;

/// Maximum number of texts of a field that are counted one by one; the others are counted together.
pub const INDEX_FACET_VALUES_MAX: usize = 100;

/// Maximum number of conditions in one filter: far more than a person writes.
pub const INDEX_FILTER_PARTS_MAX: usize = 256;

/// Maximum depth of conditions within conditions.
pub const INDEX_FILTER_DEPTH_MAX: usize = 16;

/// Maximum size of an excerpt: two lines of text.
pub const INDEX_EXCERPT_BYTES_MAX: usize = 240;

/// Time that a change of the index waits for another process's change. Changes are short, and one that is not made
/// is made by the next reader.
pub const INDEX_BUSY_WAIT: Duration = Duration::from_millis(500);

/// Number of matches up to which a query looks at each of them, instead of at a whole field of the collection.
pub const INDEX_FEW_MATCHES: usize = 2_000;

/// Memory of the connection that changes the index, in KiB: the inner pages of its trees for a hundred thousand runs.
pub const INDEX_WRITER_CACHE_KIB: i64 = 8 * 1024;

/// Number of queries whose matches a process keeps: the lists that a person has open. A hundred thousand matches take
/// some kilobytes, one bit each.
pub const INDEX_MATCHES_KEPT: usize = 8;

/// Number of times that a call starts over because the index was damaged or replaced by another process.
pub const INDEX_ATTEMPTS: u32 = 3;
/// Maximum number of changes that wait for the reader of a watch. Beyond it, the reader looks at everything anyway.
pub const CHANGES_WAITING_MAX: usize = 4096;

/// Number of bytes that are read at a time of what the kernel reports: some hundred changes.
pub const KERNEL_EVENTS_BYTES: usize = 16 * 1024;

/// Maximum number of streams whose changes the kernel reports. Linux lets a user have thousands of watches, and other
/// programs want some too; further streams are looked at in turn.
pub const STREAMS_WATCHED_MAX: usize = 4096;

/// Age of the last change up to which the kernel reports changes of a stream. Older ones are looked at in turn.
pub const STREAM_WATCHED_AGE: Duration = Duration::from_hours(24);

/// Interval at which streams that the kernel does not report are looked at: a part of them each time.
pub const CHANGES_LOOK_EVERY: Duration = Duration::from_secs(1);

/// Number of looks after which each of those streams was looked at once: within a minute.
pub const CHANGES_LOOKS: usize = 60;
