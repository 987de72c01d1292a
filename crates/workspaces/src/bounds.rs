//! Every limit of this crate, in one place.
//!
//! *Invariants*: the memory and the reply that any request of an agent costs are bounded by the limits here. Limits on
//! stored data may be raised but never lowered.

use std::time::Duration;

/// Maximum length of a name in a path, in bytes: the limit of Linux file systems.
pub const NAME_BYTES_MAX: usize = 255;

/// Maximum length of a path in bytes: one less than on Linux, which counts a terminating zero byte.
pub const PATH_BYTES_MAX: usize = 4095;

/// Maximum number of names in a path. People nest a dozen directories. A walk holds a descriptor for each level, so the
/// limit also bounds those.
pub const PATH_DEPTH_MAX: usize = 64;

/// Maximum number of bytes of a refused path that an error shows: enough to recognise it, too little to fill a reply.
pub const SHOWN_BYTES_MAX: usize = 80;

/// Maximum number of Workspaces that an error lists as alternatives. The Filesystem Map shows all of them.
pub const ALTERNATIVES_MAX: usize = 8;

/// Maximum number of Workspaces in a set. Routing stays below a microsecond with a thousand.
pub const WORKSPACES_MAX: usize = 1_024;

/// Maximum length of the purpose of a Workspace in bytes: it is one line of the Filesystem Map.
pub const PURPOSE_BYTES_MAX: usize = 200;

/// Maximum number of deny patterns of a Workspace: each is tried on every path.
pub const DENY_MAX: usize = 64;

/// Maximum length of the pattern of a glob or a deny rule, in bytes: its automaton grows with it.
pub const PATTERN_BYTES_MAX: usize = 1_024;

/// Maximum length of a regular expression in bytes. Longer ones are lists, for which several calls serve better.
pub const REGEX_BYTES_MAX: usize = 4_096;

/// Maximum size of the automaton of a regular expression, in bytes: a few times the size in real searches.
pub const REGEX_SIZE_MAX: usize = 4 * 1024 * 1024;

/// Maximum size of a file that is written, edited, appended to or copied, in bytes. Such a file is held in memory once
/// or twice. The limit equals the largest blob of the store.
pub const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Maximum size of a file that is edited as text, in bytes. Agents edit source files, and searching a larger file costs
/// more than an edit should.
pub const EDIT_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Maximum size of a file for which `read` reports the version and the number of lines, in bytes. In a larger file, a
/// window is read without the rest.
pub const WHOLE_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Maximum size of a file that is read on the thread that serves the call, in bytes, if the kernel has it in memory.
/// Copying and hashing that much takes less time than waking another thread.
pub const AT_HAND_BYTES_MAX: usize = 64 * 1024;

/// Size of the buffer for reading a file line by line, in bytes: few system calls, and little memory for a window of a
/// huge file.
pub const READ_BUFFER_BYTES: usize = 64 * 1024;

/// Default number of lines that `read` returns: most source files are shorter, and models know this number.
pub const READ_LINES_DEFAULT: u64 = 2_000;

/// Maximum number of characters shown of a line, as models know it; the rest is counted.
pub const LINE_CHARACTERS_MAX: usize = 2_000;

/// Maximum number of bytes kept of a line while it is read: four for every character that is shown.
pub const LINE_BYTES_KEPT: usize = 4 * LINE_CHARACTERS_MAX;

/// Maximum number of characters of a line that `grep` shows: enough for code, and little of a minified file.
pub const GREP_LINE_CHARACTERS_MAX: usize = 500;

/// Maximum size of the reply of a tool in bytes: about 20,000 tokens, and far below the limits of clients.
pub const REPLY_BYTES_MAX: usize = 80_000;

/// Space in a reply for notes beside its lines, in bytes: a few sentences.
pub const NOTE_BYTES_MAX: usize = 1_024;

/// Maximum number of entries of a directory that are listed; the rest is counted. Nobody reads more of them.
pub const LIST_ENTRIES_MAX: usize = 2_000;

/// Maximum number of entries that a listing holds in memory: some ten megabytes of names.
pub const LIST_ENTRIES_HELD_MAX: usize = 100_000;

/// Maximum number of files that a search inspects; it reports if there are more. The largest repositories have about as
/// many.
pub const SEARCH_FILES_MAX: usize = 500_000;

/// Default number of results of `glob` and `grep`: a page or two for a model.
pub const RESULTS_DEFAULT: u64 = 250;

/// Maximum number of results that can be requested: about as many as fit in a reply.
pub const RESULTS_MAX: u64 = 2_000;

/// Maximum number of lines of context around a match. To see more of a file, read it.
pub const CONTEXT_LINES_MAX: u64 = 20;

/// Maximum size of a file that is searched in a Virtual Store or an overlay, in bytes: it is held in memory.
pub const SEARCH_MEMORY_BYTES_MAX: u64 = FILE_BYTES_MAX;

/// Memory that searching one file may use for its longest line, in bytes. Each thread of a search has as much.
pub const SEARCH_HEAP_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Number of files that are searched between two merges of results. It bounds the held results that will not be shown.
pub const SEARCH_BATCH: usize = 512;

/// Maximum number of threads of a search: beyond that the disk is the bottleneck.
pub const SEARCH_THREADS_MAX: usize = 8;

/// Maximum size of an ignore file that is read, in bytes. Real ones have a few hundred lines.
pub const IGNORE_FILE_BYTES_MAX: u64 = 256 * 1024;

/// Maximum number of entries that one recursive delete or move inspects or removes: a few seconds of work, under a
/// lock.
pub const TREE_ENTRIES_MAX: usize = 100_000;

/// Number of names of a Mount that are tried to detect case folding. One with a letter is enough.
pub const FOLDING_TRIES_MAX: usize = 16;

/// Maximum number of links on one path, if links are followed: the limit of Linux.
pub const LINKS_MAX: usize = 40;

/// Maximum number of concurrent changes in a process, each on a thread that may block: half of the runtime's blocking
/// threads, so that reads continue while changes wait for a lock.
pub const CHANGES_AT_ONCE_MAX: usize = 256;

/// Time that a change waits for another one in the same directory: a thousand times the duration of one.
pub const LOCK_WAIT: Duration = Duration::from_secs(5);

/// Pause between two tries for a lock: a write takes about as long as its two syncs.
pub const LOCK_PAUSE: Duration = Duration::from_millis(2);

/// Maximum number of authors in the record of an applied change: more agents than usually work on one file of an
/// overlay.
pub const AUTHORS_MAX: usize = 8;

/// Maximum number of tries of a change while others change the same rows. Each failed try means that another writer
/// succeeded, so even many concurrent writers get through.
pub const COMMIT_TRIES_MAX: usize = 64;

/// Maximum size of a file of a Virtual Store that is kept in its row, in bytes; a larger one is a blob. Listing a
/// directory reads its rows.
pub const INLINE_BYTES_MAX: usize = 4 * 1024;

/// Maximum number of parts in the namespace of a Virtual Store. Real ones have up to four.
pub const NAMESPACE_PARTS_MAX: usize = 8;

/// Maximum length of a part of a namespace in bytes: it fits a file name or a digest.
pub const NAMESPACE_PART_BYTES_MAX: usize = 256;

/// Maximum number of entries in one recursive delete in a Virtual Store, or one move in an overlay: it is one commit.
pub const VIRTUAL_TREE_MAX: usize = 4_000;

/// Maximum number of changes in an overlay when it is compared or applied: more than anybody reviews.
pub const OVERLAY_CHANGES_MAX: usize = 50_000;

/// Maximum number of lines shown around an edit: enough to see that it is the right place.
pub const SNIPPET_LINES_MAX: usize = 12;

/// Maximum number of line numbers that an ambiguous edit lists; the total is reported as well.
pub const HITS_LISTED_MAX: usize = 10;

/// Maximum length of the name of an agent in an audit record, in bytes. Clients choose their names freely.
pub const ACTOR_BYTES_MAX: usize = 128;

/// Maximum number of entries of a Virtual Store in one copy: each takes two rows of one commit of the table.
pub const COPY_ENTRIES_MAX: usize = 4_000;

/// Maximum number of records in the history of one file, the newest: more than anybody reads. Older ones are counted.
pub const BLAME_RECORDS_MAX: usize = 1_000;

/// Maximum number of records that are read to find the sources of one file: a few times the number shown. Beyond that,
/// an agent that copies to and fro would make the history of a file expensive; the rest is left out.
pub const BLAME_READS_MAX: usize = 10_000;

/// Maximum number of successive copies and moves that the history of one file follows: more than anybody makes.
pub const BLAME_MOVES_MAX: usize = 100;

/// Maximum number of records on one page of the log of all Mounts: a few screens.
pub const LOG_PAGE_MAX: usize = 200;

/// Maximum number of records that are searched for one page of that log: a quarter of a second. A filter that fits few
/// of them continues with the next page.
pub const LOG_READS_MAX: usize = 5_000;

/// Number of records that are read from the table at a time.
pub const AUDIT_PAGE: usize = 1_000;

/// Number of rows of Virtual Stores that are read from the table at a time: a few megabytes if all hold small files.
pub const SCAN_PAGE: usize = 1_000;

/// Number of bytes at the start of a file that decide whether it is binary, as in git.
pub const SNIFF_BYTES: usize = 8 * 1024;

/// Maximum size of the access control list of a file, in bytes: the limit of Linux for an extended attribute in one
/// block, which is enough for hundreds of users.
pub const ACCESS_LIST_BYTES_MAX: usize = 4 * 1024;

/// Maximum size of a `.git` file that is read for its target, in bytes: one path of the machine.
pub const GIT_FILE_BYTES_MAX: u64 = 8 * 1024;

/// Number of bytes reserved for the first line of a reply to `read`, besides the path: a sentence and a few numbers.
pub const READ_HEADER_BYTES: usize = 256;
