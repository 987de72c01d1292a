//! Every limit of this crate, in one place.
//!
//! *Invariants*: a limit that is part of what is stored may be raised, and never lowered.

use std::time::Duration;

/// Bytes of a path within a project directory: what Linux takes for a whole path.
pub const PATH_BYTES_MAX: usize = 4_096;

/// Bytes of one name: what the file systems take that Piton runs on.
pub const NAME_BYTES_MAX: usize = 255;

/// Bytes of a path that can have frames: path and frame type are one key of the table, which takes 1,024 bytes.
pub const FRAMED_PATH_BYTES_MAX: usize = 800;

/// Bytes of the name of a frame type, an agent or a label: short enough to be part of a key and of a line of text.
pub const WORD_BYTES_MAX: usize = 64;

/// Bytes of one ignore file. A larger one is reported; nobody writes rules by the megabyte.
pub const IGNORE_FILE_BYTES_MAX: usize = 1024 * 1024;

/// Bytes read from a file at a time while it is hashed.
pub const READ_BUFFER_BYTES: usize = 256 * 1024;

/// Entries of one directory that are looked at in one go, so that all threads share a large directory.
pub const EXAMINED_AT_ONCE: usize = 256;

/// Threads that scan. Beyond this they wait for the same disk.
pub const SCAN_THREADS_MAX: usize = 8;

/// Bytes of a file that is read for every question about it; of a larger one a scan compares the stamp instead. Hashing
/// this much takes a few milliseconds.
pub const PROBE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Files that are read one by one for a question about one node; beyond this a scan is cheaper.
pub const PROBES_MAX: usize = 16;

/// How often a read scans again when files disappear under the scan or another process records a tree meanwhile.
pub const REFRESH_TRIES_MAX: u32 = 4;

/// Frames of one directory from which on reading the directory as a whole is cheaper than looking up each name.
pub const MANY_FRAMES: usize = 16;

/// Entries of directories that one judgement of many frames keeps at hand; some megabytes.
pub const LISTINGS_KEPT_MAX: usize = 200_000;

/// Paths that are gone and have frames, of which a report names so many; the others are counted.
pub const LEFT_BEHIND_SHOWN: usize = 5;

/// Problems of one scan that are told one by one; the others are counted.
pub const PROBLEMS_MAX: usize = 100;

/// How far the clock of a file system with fine timestamps may lag: two ticks of the slowest kernel clock.
pub const FINE_TICK: Duration = Duration::from_millis(20);

/// How far apart the timestamps of a coarse file system may be: FAT counts in steps of two seconds.
pub const COARSE_TICK: Duration = Duration::from_secs(2);

/// Entries of a directory in one row of the table, so that a row stays below its limit whatever the names are, and
/// looking up one name reads one row.
pub const DIRECTORY_ROW_ENTRIES: usize = 1_000;

/// Keys in one commit that brings new tree nodes: what the table takes, less the few that go with the root.
pub const NODE_BATCH_KEYS: usize = 8_000;

/// Bytes in one commit that brings new tree nodes, for the same reason.
pub const NODE_BATCH_BYTES: usize = 12 * 1024 * 1024;

/// Notes about renamed files and changed directories that one recorded tree leaves for its frames: they go into the
/// commit that makes it current, which takes 10,000 keys.
pub const NOTES_MAX: usize = 1_500;

/// Frames of renamed files that are appended in one commit: each is about eight keys, and a commit takes 10,000.
pub const ADOPTED_AT_ONCE: usize = 500;

/// How often a change is tried again when another process was faster. Each failure means that another one succeeded.
pub const TRIES_MAX: u32 = 64;

/// After so many failures an append waits for its turn: writers that only try again starve each other.
pub const TRIES_IN_A_CROWD: u32 = 4;

/// How long an append waits for its turn. One takes milliseconds.
pub const TURN_PATIENCE: Duration = Duration::from_secs(30);

/// Bytes of the scanner's file of stamps: enough for a million files.
pub const STAMPS_FILE_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// What changed since the file of stamps was written is kept beside it while it takes at most one part in so many of
/// its size: then writing it costs little, and reading it hardly more than the file alone.
pub const SINCE_SHARE: usize = 8;

/// Entries read from the table at a time.
pub const PAGE: usize = 1_000;

/// Bytes of a frame's content: a summary, not a file.
pub const CONTENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Bytes of a content that lies in the frame's own row, so that writing it takes one sync and reading it one row.
pub const INLINE_BYTES_MAX: usize = 16 * 1024;

/// How long an append waits for a sweep of what nothing refers to: one batch of it takes milliseconds.
pub const COLLECTION_PATIENCE: Duration = Duration::from_secs(30);

/// Entries of a frame's metadata, and bytes of one key and one value: who and how, not what.
pub const METADATA_ENTRIES_MAX: usize = 32;
/// Bytes of a metadata key.
pub const METADATA_KEY_BYTES_MAX: usize = 64;
/// Bytes of a metadata value.
pub const METADATA_VALUE_BYTES_MAX: usize = 1_024;

/// Frames that one synthesis is made from: those of a very large directory.
pub const SYNTHESIS_FRAMES_MAX: usize = 100_000;

/// Frames that a synthesis names one by one: each is a key of the commit that records it. Of more it names the digest.
pub const SYNTHESIS_LISTED_MAX: usize = 1_000;

/// Bytes of frames that are put one after the other: what a composition gives of tokens when nothing else is said.
pub const CONCATENATION_BYTES: usize = 32 * 1024;

/// Pieces of context that a generated frame can name, for the same reason.
pub const GIVEN_MAX: usize = 1_000;

/// Operations of one batch.
pub const BATCH_LINES_MAX: usize = 100_000;

/// Directories that are noted as changed before everything is scanned instead.
pub const DIRTY_MAX: usize = 1_000;

/// How long nothing may change before what changed is scanned: editors write a file in several steps.
pub const QUIET: Duration = Duration::from_millis(50);

/// How long changes are collected when it never gets quiet.
pub const QUIET_LONGEST: Duration = Duration::from_millis(500);

/// Names of a directory that are compared with one that was not found: a person mistypes one name.
pub const CANDIDATES_MAX: usize = 2_000;

/// Frames that a view shows when nothing else is said: more than anybody reads.
pub const VIEW_FRAMES: usize = 100;

/// Bytes of names that are read of a directory at a time: most directories fit.
pub const LISTING_BYTES: usize = 32 * 1024;

/// Bytes of a file of ignore rules that are read at a time: most such files fit.
pub const IGNORE_PIECE_BYTES: usize = 8 * 1024;

/// Bytes that a summary may be allowed at least: the number of frames that are left out fits into them.
pub const SUMMARY_BYTES_MIN: u64 = 256;

/// Bytes that a summary takes when nothing else is said: about a thousand tokens.
pub const SUMMARY_BYTES: u64 = 4_096;
