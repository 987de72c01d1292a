//! All limits of this crate.
//!
//! *Invariants*: a limit that is part of what is stored may be raised, but never lowered.

use std::time::Duration;

/// Maximum size of a path within a project directory in bytes: what Linux accepts for a whole path.
pub const PATH_BYTES_MAX: usize = 4_096;

/// Maximum size of a name in bytes: what the file systems accept that Piton runs on.
pub const NAME_BYTES_MAX: usize = 255;

/// Maximum size of a path with frames in bytes. Path and frame type form one key of the table, which takes 1,024 bytes.
pub const FRAMED_PATH_BYTES_MAX: usize = 800;

/// Maximum size of the name of a frame type, an agent or a label in bytes: short enough for a key and a line of text.
pub const WORD_BYTES_MAX: usize = 64;

/// Maximum size of an ignore file in bytes. A larger one is reported; nobody writes rules by the megabyte.
pub const IGNORE_FILE_BYTES_MAX: usize = 1024 * 1024;

/// Bytes that are read from a file at a time while it is hashed.
pub const READ_BUFFER_BYTES: usize = 256 * 1024;

/// Number of entries of a directory that are examined in one task, so that all threads share a large directory.
pub const EXAMINED_AT_ONCE: usize = 256;

/// Maximum number of scanning threads. Beyond this they wait for the same disk.
pub const SCAN_THREADS_MAX: usize = 8;

/// Maximum size in bytes of a file that is read for every question about it. For a larger one, a scan compares the
/// stamp instead. Hashing this much takes a few milliseconds.
pub const PROBE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Maximum number of files that are read one by one for a question about one node. Beyond this a scan is cheaper.
pub const PROBES_MAX: usize = 16;

/// Maximum number of scans for one read, when files disappear during the scan or another process records a tree
/// meanwhile.
pub const REFRESH_TRIES_MAX: u32 = 4;

/// Number of frames of one directory above which reading the whole directory is cheaper than looking up each name.
pub const MANY_FRAMES: usize = 16;

/// Maximum number of directory entries that are cached while many frames are judged; some megabytes.
pub const LISTINGS_KEPT_MAX: usize = 200_000;

/// Maximum number of paths that are gone but have frames that a report names; the others are counted.
pub const LEFT_BEHIND_SHOWN: usize = 5;

/// Maximum number of problems of one scan that are reported one by one; the others are counted.
pub const PROBLEMS_MAX: usize = 100;

/// Maximum lag of the clock of a file system with fine timestamps: two ticks of the slowest kernel clock.
pub const FINE_TICK: Duration = Duration::from_millis(20);

/// Maximum granularity of the timestamps of a coarse file system: FAT counts in steps of two seconds.
pub const COARSE_TICK: Duration = Duration::from_secs(2);

/// Number of directory entries in one row of the table. It keeps a row below its limit whatever the names are, and a
/// lookup of one name reads one row.
pub const DIRECTORY_ROW_ENTRIES: usize = 1_000;

/// Maximum number of keys in one commit of new tree nodes: what the table accepts, less the few that go with the root.
pub const NODE_BATCH_KEYS: usize = 8_000;

/// Maximum number of bytes in one commit of new tree nodes, for the same reason.
pub const NODE_BATCH_BYTES: usize = 12 * 1024 * 1024;

/// Maximum number of notes about renamed files and changed directories that one recorded tree leaves for its frames.
/// They go into the commit that makes it current, which takes 10,000 keys.
pub const NOTES_MAX: usize = 1_500;

/// Maximum number of frames of renamed files in one commit: each takes about eight keys, and a commit takes 10,000.
pub const ADOPTED_AT_ONCE: usize = 500;

/// Maximum number of attempts when other processes are faster. Each failure means that another process succeeded.
pub const TRIES_MAX: u32 = 64;

/// Number of failures after which an append waits for its turn. Writers that only retry starve each other.
pub const TRIES_IN_A_CROWD: u32 = 4;

/// Time that an append waits for its turn. One append takes milliseconds.
pub const TURN_PATIENCE: Duration = Duration::from_secs(30);

/// Maximum size of the scanner's stamp file in bytes: enough for a million files.
pub const STAMPS_FILE_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// Maximum size of the changes kept beside the stamp file, as a fraction of its size: one part in this many. Writing
/// them then costs little, and reading them hardly more than the stamp file alone.
pub const SINCE_SHARE: usize = 8;

/// Number of entries that are read from the table at a time.
pub const PAGE: usize = 1_000;

/// Maximum size of a frame's content in bytes: a summary, not a file.
pub const CONTENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Maximum size in bytes of a content that is stored in the frame's own row, so that writing it takes one sync and
/// reading it one row.
pub const INLINE_BYTES_MAX: usize = 16 * 1024;

/// Time that an append waits for a sweep of unreferenced data. One batch of a sweep takes milliseconds.
pub const COLLECTION_PATIENCE: Duration = Duration::from_secs(30);

/// Maximum number of entries of a frame's metadata. It says who and how, not what.
pub const METADATA_ENTRIES_MAX: usize = 32;
/// Maximum size of a metadata key in bytes.
pub const METADATA_KEY_BYTES_MAX: usize = 64;
/// Maximum size of a metadata value in bytes.
pub const METADATA_VALUE_BYTES_MAX: usize = 1_024;

/// Maximum number of frames that one synthesis is made from: those of a very large directory.
pub const SYNTHESIS_FRAMES_MAX: usize = 100_000;

/// Maximum number of frames that a synthesis names one by one, because each is a key of the commit that records it.
/// Beyond this it names their digest.
pub const SYNTHESIS_LISTED_MAX: usize = 1_000;

/// Maximum size of concatenated frames in bytes: what the default token budget of a composition holds.
pub const CONCATENATION_BYTES: usize = 32 * 1024;

/// Maximum number of inputs that a generated frame can name, for the same reason.
pub const GIVEN_MAX: usize = 1_000;

/// Maximum number of operations of one batch.
pub const BATCH_LINES_MAX: usize = 100_000;

/// Maximum number of directories that are noted as changed. Beyond this everything is scanned instead.
pub const DIRTY_MAX: usize = 1_000;

/// Time without changes after which the changes are scanned. Editors write a file in several steps.
pub const QUIET: Duration = Duration::from_millis(50);

/// Time after which changes are scanned even if they never pause.
pub const QUIET_LONGEST: Duration = Duration::from_millis(500);

/// Maximum number of names of a directory that are compared with one that was not found. A person mistypes one name.
pub const CANDIDATES_MAX: usize = 2_000;

/// Default number of frames that a view shows: more than anybody reads.
pub const VIEW_FRAMES: usize = 100;

/// Maximum number of entries shown with a directory; the rest is counted.
pub const CHILDREN_SHOWN_MAX: usize = 200;

/// Maximum number of stale frames, or directories without a new frame, that a text names; the rest is counted.
pub const SKIPPED_NAMED_MAX: usize = 20;

/// Maximum number of stale frames sent to an agent; the rest is counted.
pub const SKIPPED_SENT_MAX: usize = 200;

/// Maximum number of entries of a directory on one page: a few screens.
pub const LEVEL_ENTRIES_MAX: usize = 200;

/// Maximum number of frames that are judged for one page of a directory: some seconds of work. Entries behind it are
/// listed without their numbers.
pub const LEVEL_HEADS_MAX: usize = 100_000;

/// Maximum number of frames that the preview of a composition lists; the rest is counted.
pub const PREVIEW_FRAMES_MAX: usize = 500;

/// Default number of tokens of a composition: what fits into a prompt beside the task.
pub const COMPOSED_TOKENS: usize = 8_000;

/// Bytes of a directory listing that are read at a time: most directories fit.
pub const LISTING_BYTES: usize = 32 * 1024;

/// Bytes of an ignore file that are read at a time: most such files fit.
pub const IGNORE_PIECE_BYTES: usize = 8 * 1024;

/// Minimum size limit of a summary in bytes: the note about the number of omitted frames fits into it.
pub const SUMMARY_BYTES_MIN: u64 = 256;

/// Default size limit of a summary in bytes: about a thousand tokens.
pub const SUMMARY_BYTES: u64 = 4_096;
