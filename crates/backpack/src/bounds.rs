//! All limits of this crate, with their reasons.

/// Maximum size of a key in bytes: keys appear in error messages, lists and file names that people read.
pub const KEY_BYTES_MAX: usize = 256;

/// Maximum size of a node's id or name in bytes, for the same reason.
pub const NODE_BYTES_MAX: usize = 128;

/// Maximum size of a tag in bytes.
pub const TAG_BYTES_MAX: usize = 64;

/// Maximum number of tags on one item: tags are labels, not content.
pub const TAGS_MAX: usize = 32;

/// Maximum number of nodes in one list of an item's access control.
pub const ACCESS_NODES_MAX: usize = 256;

/// Maximum number of entries in one list of a node's permissions. Patterns are tried one after the other.
pub const PERMISSIONS_MAX: usize = 1_024;

/// Maximum size in bytes of the reason for a quarantine: a sentence, not a report.
pub const REASON_BYTES_MAX: usize = 1_024;

/// Maximum size of a value in bytes of canonical JSON: one blob of the store. Larger content belongs in a file.
pub const VALUE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Maximum nesting depth of a value. Canonical JSON allows 127 levels; a document and a journal need a few of them.
pub const VALUE_DEPTH_MAX: usize = 100;

/// Default size in bytes above which a value is kept beside the history.
pub const LARGE_VALUE_BYTES: usize = 100 * 1024;

/// Maximum size in bytes of a value that options may still treat as small: a plan of the journal holds 4 MiB.
pub const LARGE_VALUE_BYTES_MAX: usize = 1024 * 1024;

/// Maximum number of keys in use at once: far beyond any flow, and small enough to list.
pub const ITEMS_MAX: usize = 100_000;

/// Maximum number of nodes that act on one backpack. The first commit of each is remembered.
pub const NODES_MAX: usize = 10_000;

/// Maximum number of quarantined entries. The oldest leave first; they stay in the history.
pub const QUARANTINE_MAX: usize = 1_000;

/// Default number of commits in memory: a flow makes 50 to 500.
pub const HISTORY_COMMITS: usize = 10_000;

/// Default number of bytes of history in memory.
pub const HISTORY_BYTES: usize = 50 * 1024 * 1024;

/// Number of commits that stay in memory however large they are, so that there is always a recent past.
pub const HISTORY_COMMITS_MIN: usize = 100;

/// Estimated memory cost of a commit in bytes beside its value: its record, and its share of a checkpoint.
pub const COMMIT_BYTES: usize = 1_280;

/// Number of commits between two checkpoints of the state. A past state is at most this many steps from one.
pub const CHECKPOINT_COMMITS: u64 = 4;

/// Maximum size of the summary of a value in bytes.
pub const SUMMARY_BYTES_MAX: usize = 200;

/// Default number of commits in the JSON form.
pub const DOCUMENT_COMMITS: usize = 1_000;

/// Maximum size in bytes of a JSON form that is read.
pub const DOCUMENT_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Maximum number of schema violations that are listed. The rest are only counted.
pub const VIOLATIONS_MAX: usize = 100;

/// Maximum number of observers of one backpack: each costs a call per event.
pub const OBSERVERS_MAX: usize = 16;

/// Maximum size in bytes of the text that names the holder of a backpack.
pub const HOLDER_BYTES_MAX: usize = 200;

/// Bytes that a record needs beside its subject: field names, ids, numbers.
pub const RECORD_BYTES: usize = 1_024;

/// Maximum size of one plan of the journal in bytes, by an estimate that is never too low. The store accepts 4 MiB; the
/// difference leaves room for one value that the options treat as small.
pub const PLAN_BYTES: usize = 2 * 1024 * 1024;

/// Number of commits that may wait in buffered mode before a write flushes them itself.
pub const BUFFERED_COMMITS_MAX: usize = 4_096;

/// Number of read commits that may wait for a write or a flush before a read flushes them itself, so that memory stays
/// bounded.
pub const WAITING_READS_MAX: usize = 65_536;

/// Maximum number of times that a task yields to others before it appends its plan. Each turn collects the commits of
/// every task that can run.
pub const GATHER_TURNS_MAX: usize = 64;
