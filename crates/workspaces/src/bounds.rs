//! Every limit of this crate, in one place.
//!
//! *Invariants*: whatever an agent sends, the memory and the reply that it costs are bounded by what
//! stands here. Limits of stored data may be raised and never lowered.

use std::time::Duration;

/// The longest name in a path, in bytes: what Linux file systems take.
pub const NAME_BYTES_MAX: usize = 255;

/// The longest path in bytes: one less than what Linux takes, which counts a zero byte at the end.
pub const PATH_BYTES_MAX: usize = 4095;

/// How many names a path may have. People nest a dozen directories; a walk holds a descriptor for
/// each level, so the limit also bounds those.
pub const PATH_DEPTH_MAX: usize = 64;

/// How many bytes of a refused path an error shows: enough to recognise it, and too little to fill a reply with.
pub const SHOWN_BYTES_MAX: usize = 80;

/// How many Workspaces an error lists as an alternative: more are found in the Filesystem Map.
pub const ALTERNATIVES_MAX: usize = 8;

/// How many Workspaces one set may have. Routing stays below a microsecond with a thousand.
pub const WORKSPACES_MAX: usize = 1_024;

/// The longest purpose of a Workspace in bytes: it stands on one line of the Filesystem Map.
pub const PURPOSE_BYTES_MAX: usize = 200;

/// How many deny patterns a Workspace may have: each is tried on every path.
pub const DENY_MAX: usize = 64;

/// The longest pattern of a glob or a deny rule, in bytes: its automaton grows with it.
pub const PATTERN_BYTES_MAX: usize = 1_024;

/// The longest regular expression in bytes: longer ones are lists, which is what several calls are for.
pub const REGEX_BYTES_MAX: usize = 4_096;

/// The largest automaton that a regular expression may need, in bytes: a few times what those of real searches take.
pub const REGEX_SIZE_MAX: usize = 4 * 1024 * 1024;

/// The largest file that is written, edited, appended to or copied, in bytes. Such a file is held in
/// memory once or twice; it equals the largest blob of the store.
pub const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The largest file that is edited as text, in bytes: an agent changes source files, and a larger
/// one costs more to search than an edit should.
pub const EDIT_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// The largest file of which `read` gives the version and the number of lines, in bytes. Beyond it a
/// window is read without looking at the rest.
pub const WHOLE_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// The largest file that is read on the thread that serves the call, in bytes, if the kernel has it in memory: its
/// bytes are copied and hashed in less time than another thread takes to wake up.
pub const AT_HAND_BYTES_MAX: usize = 64 * 1024;

/// How much of a file is brought at once where it is read line by line, in bytes: few calls of the system, and little
/// memory for a window of a huge file.
pub const READ_BUFFER_BYTES: usize = 64 * 1024;

/// Lines that `read` gives unless asked for fewer: most source files are shorter, and models know this number.
pub const READ_LINES_DEFAULT: u64 = 2_000;

/// Characters of a line that are shown, as models know it; the rest is counted.
pub const LINE_CHARACTERS_MAX: usize = 2_000;

/// The longest line, in bytes, of which anything is kept while it is read: four bytes for every
/// character that is shown.
pub const LINE_BYTES_KEPT: usize = 4 * LINE_CHARACTERS_MAX;

/// Characters of a line that `grep` shows: enough for code, and little of a minified file.
pub const GREP_LINE_CHARACTERS_MAX: usize = 500;

/// The longest reply of a tool in bytes: about 20,000 tokens, and far below what clients take.
pub const REPLY_BYTES_MAX: usize = 80_000;

/// Room in a reply for what is said beside its lines: a few sentences.
pub const NOTE_BYTES_MAX: usize = 1_024;

/// Entries of a directory that are listed; the rest is counted. Nobody reads more of them.
pub const LIST_ENTRIES_MAX: usize = 2_000;

/// Entries that a listing holds in memory, at most: some ten megabytes of names.
pub const LIST_ENTRIES_HELD_MAX: usize = 100_000;

/// Files that a search looks at, at most; what is beyond is said. The largest repositories have about as many.
pub const SEARCH_FILES_MAX: usize = 500_000;

/// Results that `glob` and `grep` show unless asked for another number: a page or two for a model.
pub const RESULTS_DEFAULT: u64 = 250;

/// The largest number of results that can be asked for: about as many as fit in a reply.
pub const RESULTS_MAX: u64 = 2_000;

/// Lines of context around a match, at most; whoever wants more of a file reads it.
pub const CONTEXT_LINES_MAX: u64 = 20;

/// The largest file that is searched in a Virtual Store or an overlay, in bytes: it is held in memory.
pub const SEARCH_MEMORY_BYTES_MAX: u64 = FILE_BYTES_MAX;

/// The memory that searching one file may take for its longest line, in bytes: each thread of a search has as much.
pub const SEARCH_HEAP_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Files that are searched between two merges of results: it bounds what is held that will not be
/// shown.
pub const SEARCH_BATCH: usize = 512;

/// Threads that search at the same time, at most: beyond that the disk is what takes time.
pub const SEARCH_THREADS_MAX: usize = 8;

/// The largest ignore file that is read, in bytes. Real ones have a few hundred lines.
pub const IGNORE_FILE_BYTES_MAX: u64 = 256 * 1024;

/// Entries that one recursive delete or move of a directory looks at or removes: a few seconds of work, under a lock.
pub const TREE_ENTRIES_MAX: usize = 100_000;

/// Names of a Mount that are tried to find out whether capital letters are told from small ones: one with a letter is
/// enough.
pub const FOLDING_TRIES_MAX: usize = 16;

/// Links that one path may lead through, where links are followed: what Linux allows.
pub const LINKS_MAX: usize = 40;

/// How many changes are made at once in a process, each on a thread that may block: half of those that the runtime has,
/// so that reading goes on while changes wait for a lock.
pub const CHANGES_AT_ONCE_MAX: usize = 256;

/// How long a change waits for another one in the same directory: a thousand times what one takes.
pub const LOCK_WAIT: Duration = Duration::from_secs(5);

/// How long to wait between two tries for a lock: a write takes about as long as its two syncs.
pub const LOCK_PAUSE: Duration = Duration::from_millis(2);

/// How many authors the record of an applied change names: more than agents usually work on one file of one overlay.
pub const AUTHORS_MAX: usize = 8;

/// How often a change is tried again when others change the same rows: each try that fails is one of theirs that
/// succeeded, so that many writers at once get through.
pub const COMMIT_TRIES_MAX: usize = 64;

/// The largest file of a Virtual Store that is kept in its row, in bytes; a larger one is a blob. Listing a directory
/// reads its rows.
pub const INLINE_BYTES_MAX: usize = 4 * 1024;

/// Parts that the namespace of a Virtual Store may have. Real ones have up to four.
pub const NAMESPACE_PARTS_MAX: usize = 8;

/// The longest part of a namespace in bytes: it takes a name of a file, or a digest.
pub const NAMESPACE_PART_BYTES_MAX: usize = 256;

/// Entries that one recursive delete in a Virtual Store, or one move in an overlay, changes: it is one commit.
pub const VIRTUAL_TREE_MAX: usize = 4_000;

/// Changes that an overlay may hold when it is compared or applied: more than anybody looks through.
pub const OVERLAY_CHANGES_MAX: usize = 50_000;

/// Lines that are shown of an edit, around the change: enough to see that it is the right place.
pub const SNIPPET_LINES_MAX: usize = 12;

/// Line numbers that an ambiguous edit lists; the count says how many there are.
pub const HITS_LISTED_MAX: usize = 10;

/// The longest name of an agent in an audit record, in bytes. Clients call themselves what they like.
pub const ACTOR_BYTES_MAX: usize = 128;

/// Entries of a Virtual Store that are copied at once: two rows for each go into one commit of the table.
pub const COPY_ENTRIES_MAX: usize = 4_000;

/// Records that the history of one file holds, the newest: more than anybody reads. How many are older is counted.
pub const BLAME_RECORDS_MAX: usize = 1_000;

/// Records that are read to find where one file came from: a few times as many as are shown. Beyond that an agent that
/// copied to and fro would make the history of a file expensive; the rest is left out.
pub const BLAME_READS_MAX: usize = 10_000;

/// Copies and moves that the history of one file is followed through, one after the other: more than anybody makes.
pub const BLAME_MOVES_MAX: usize = 100;

/// Records that are brought from the table at a time.
pub const AUDIT_PAGE: usize = 1_000;

/// Rows of Virtual Stores that are brought from the table at a time: a few megabytes, if all hold small files.
pub const SCAN_PAGE: usize = 1_000;

/// How much of the start of a file decides whether it is binary, as in git.
pub const SNIFF_BYTES: usize = 8 * 1024;

/// The longest list of permissions of a file, in bytes: what Linux takes for an extended attribute in one block, which
/// is hundreds of users.
pub const ACCESS_LIST_BYTES_MAX: usize = 4 * 1024;

/// The largest `.git` that is read for where it leads, in bytes: one path of the machine.
pub const GIT_FILE_BYTES_MAX: u64 = 8 * 1024;
