//! Every limit of the crate, with its reason.

/// Bytes of a key: it stands in error messages, lists and file names that people read.
pub const KEY_BYTES_MAX: usize = 256;

/// Bytes of a node's id or name, for the same reason.
pub const NODE_BYTES_MAX: usize = 128;

/// Bytes of a tag.
pub const TAG_BYTES_MAX: usize = 64;

/// Tags of one item: labels, not content.
pub const TAGS_MAX: usize = 32;

/// Nodes that one list of an item's access control names.
pub const ACCESS_NODES_MAX: usize = 256;

/// Entries of one list of a node's permissions. Patterns are tried one after the other.
pub const PERMISSIONS_MAX: usize = 1_024;

/// Bytes of the reason of a quarantine: a sentence, not a report.
pub const REASON_BYTES_MAX: usize = 1_024;

/// Bytes of a value in canonical JSON: what one blob of the store holds. Larger content belongs in a file.
pub const VALUE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How deep a value may nest: canonical JSON ends at 127 levels, of which a document and a journal need a few.
pub const VALUE_DEPTH_MAX: usize = 100;

/// Bytes above which a value is kept beside the history, unless options say otherwise.
pub const LARGE_VALUE_BYTES: usize = 100 * 1024;

/// Bytes of a value that options may still call small: a plan of the journal holds 4 MiB.
pub const LARGE_VALUE_BYTES_MAX: usize = 1024 * 1024;

/// Keys in use at once: far beyond any flow, and small enough to list.
pub const ITEMS_MAX: usize = 100_000;

/// Nodes that act on one backpack, for each of which its first commit is remembered.
pub const NODES_MAX: usize = 10_000;

/// Entries of the quarantine; the oldest leave it first, and stay in the history.
pub const QUARANTINE_MAX: usize = 1_000;

/// Commits in memory, unless options say otherwise: a flow makes 50 to 500.
pub const HISTORY_COMMITS: usize = 10_000;

/// Bytes of history in memory, unless options say otherwise.
pub const HISTORY_BYTES: usize = 50 * 1024 * 1024;

/// Commits that stay in memory however large they are, so that there is always a recent past.
pub const HISTORY_COMMITS_MIN: usize = 100;

/// What a commit is taken to cost in memory beside its value: its record, and its share of a checkpoint.
pub const COMMIT_BYTES: usize = 1_280;

/// Commits between two checkpoints of the state: a past state is at most so many steps from one.
pub const CHECKPOINT_COMMITS: u64 = 4;

/// Bytes of the summary of a value.
pub const SUMMARY_BYTES_MAX: usize = 200;

/// Commits that the JSON form carries, unless the caller says otherwise.
pub const DOCUMENT_COMMITS: usize = 1_000;

/// Bytes of the JSON form that is read.
pub const DOCUMENT_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Violations of a schema that are listed; the rest is counted.
pub const VIOLATIONS_MAX: usize = 100;

/// Observers of one backpack: each costs a call per event.
pub const OBSERVERS_MAX: usize = 16;

/// Bytes of the words by which the holder of a backpack is named.
pub const HOLDER_BYTES_MAX: usize = 200;

/// What a record needs beside what it is about: the names of its fields, ids, numbers.
pub const RECORD_BYTES: usize = 1_024;

/// Bytes of one plan of the journal, which takes 4 MiB, by an estimate that is never too low. What is left is for one
/// value that the options call small.
pub const PLAN_BYTES: usize = 2 * 1024 * 1024;

/// Commits that wait in buffered mode before a write flushes them itself.
pub const BUFFERED_COMMITS_MAX: usize = 4_096;

/// Commits of reads that wait for a write or a flush before a read flushes them itself, so that memory stays bounded.
pub const WAITING_READS_MAX: usize = 65_536;

/// How often a writer lets others go ahead of it before it writes: each time brings the commits of all that can run.
pub const GATHER_TURNS_MAX: usize = 8;
