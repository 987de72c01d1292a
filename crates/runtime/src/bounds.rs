//! Every limit of this crate, in one place.

use std::time::Duration;

/// Maximum size of a configuration file, in bytes. One that sets everything has a few hundred.
pub const CONFIG_BYTES_MAX: u64 = 256 * 1024;

/// Maximum number of configuration problems that are reported. Nobody fixes more at once; the rest is counted.
pub const CONFIG_PROBLEMS_MAX: usize = 50;

/// Number of ancestors of a directory that a search goes through. Deeper trees are made by accident.
pub const ANCESTORS_MAX: usize = 64;

/// Maximum number of workflow files in one source. People have dozens; the limit keeps a directory named by mistake
/// from being read whole.
pub const SOURCE_FILES_MAX: usize = 512;

/// Maximum number of directory entries that the search of one source examines, for the same reason.
pub const SOURCE_ENTRIES_MAX: usize = 8192;

/// Depth below its directory to which a source is searched.
pub const SOURCE_DEPTH_MAX: usize = 4;

/// Maximum number of files that a process keeps compiled: those of a few projects with all their sources.
pub const COMPILED_KEPT_MAX: usize = 2048;

/// Maximum number of names that a refusal lists when none is similar.
pub const NAMES_LISTED_MAX: usize = 20;

/// Maximum size in bytes of git's small files: `HEAD`, a ref, `commondir`, the `.git` of a worktree.
pub const GIT_FILE_BYTES_MAX: u64 = 16 * 1024;

/// Maximum number of bytes of git's `packed-refs` that are read: about a hundred thousand branches and tags.
pub const PACKED_REFS_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Maximum number of bytes of an artifact that an agent reads at once: as much as it takes in without losing the rest.
pub const ARTIFACT_PART_BYTES_MAX: usize = 64 * 1024;

/// Maximum number of artifacts that are read to find one by its kind. A run has dozens.
pub const ARTIFACTS_SEARCHED_MAX: usize = 1024;

/// Maximum number of artifacts that are read to show a run or a branch, newest first. The rest is shown by digest.
pub const ARTIFACTS_READ_MAX: usize = 128;

/// Maximum number of bytes of a search text that a reply repeats: a line.
pub const SEARCHED_BYTES_MAX: usize = 120;

/// Maximum number of open runs that a connection remembers. Anyone with more has lost count long before.
pub const OPEN_RUNS_MAX: usize = 32;

/// Maximum number of other open runs that a reply names; the rest is counted.
pub const OPEN_RUNS_SHOWN_MAX: usize = 5;

/// Number of trailing characters that are enough to name an id on the command line, if no other id ends with them.
pub const ID_ENDING_BYTES_MIN: usize = 4;

/// Number of trailing characters shown for a node's id: enough to name it within its run.
pub const ID_ENDING_SHOWN: usize = 8;

/// Number of digits shown of a digest: enough to tell two digests of one project apart.
pub const DIGEST_DIGITS_SHOWN: usize = 12;

/// Maximum number of bytes quoted from a refused name: a line of a terminal.
pub const NAME_QUOTED_BYTES_MAX: usize = 80;

/// Maximum number of sessions or runs that a refusal lists when a name is ambiguous.
pub const CANDIDATES_LISTED_MAX: usize = 5;

/// Maximum number of steps of a run shown at once; the newest are kept and the rest is counted. The whole session is
/// read for it.
pub const STEPS_SHOWN_MAX: usize = 500;

/// Number of nodes from which on the shape of a run is kept in the projection cache. A shorter run is read as fast.
pub const SHAPE_CACHED_NODES_MIN: usize = 256;

/// Maximum size in bytes of the lists of a reply to a page, with room for what surrounds them: a reply stays below a
/// megabyte. Shapes of runs are not bounded by it.
pub const PAGE_REPLY_BYTES_MAX: usize = 1000 * 1024;

/// Maximum number of bytes of a prompt that are shown at once: more than people write, and room for the rest of the step
/// even if every byte has to be escaped.
pub const PROMPT_SHOWN_BYTES_MAX: usize = 64 * 1024;

/// Maximum size in bytes of the data of an exported run: with the page around it, what most mail servers take.
pub const RUN_EXPORT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Maximum number of recaps in an exported run, those of the newest steps. Each repeats the notes before it, so that all
/// of a long run would be the square of it.
pub const RUN_EXPORT_RECAPS_MAX: usize = 200;

/// Minimum length in bytes of a protected text that is looked for in other texts. Shorter ones occur by chance.
pub const PROTECTED_TEXT_BYTES_MIN: usize = 8;

/// Maximum number of events on a page: a few screens.
pub const EVENTS_PAGE_MAX: usize = 200;

/// Maximum number of entries of each kind in an inbox, newest first; the rest is counted. Nobody works through more.
pub const INBOX_ENTRIES_MAX: usize = 100;

/// Maximum number of indexed runs that an inbox looks at, newest first. Most of them are blocked and need no reading.
pub const INBOX_RUNS_LOOKED_MAX: u64 = 1_000;

/// Maximum number of runs that an inbox reads to find their questions and gaps, newest first: as many sessions as a
/// process keeps folded.
pub const INBOX_RUNS_READ_MAX: usize = 256;

/// Maximum number of runs that the statistics of a workflow read, newest first; the rest is counted. Some seconds of
/// reading, and older runs say less about the workflow as it is.
pub const STATS_RUNS_MAX: usize = 1000;

/// Maximum length in bytes of the first line of notes in a tree: the width of a terminal.
pub const HEADLINE_BYTES_MAX: usize = 120;

/// Default number of days that sessions are kept: a quarter.
pub const RETENTION_DAYS_DEFAULT: u32 = 90;

/// Default port of the server: free, and PITO on the keys of a telephone.
pub const HTTP_PORT_DEFAULT: u32 = 7477;

/// Default port of the console: below those that servers for agents take when theirs is in use.
pub const CONSOLE_PORT_DEFAULT: u32 = 7470;

/// The largest valid port.
pub const HTTP_PORT_MAX: u32 = 65_535;

/// Maximum number of bytes quoted from a refused path.
pub const PATH_QUOTED_BYTES_MAX: usize = 512;

/// Maximum number of MCP servers whose tools flows may use: a person configures a handful.
pub const MCP_SERVERS_MAX: usize = 32;

/// Maximum number of tools of one such server. Models get worse long before.
pub const MCP_TOOLS_MAX: usize = 512;

/// Time that a server may take for its first answer: programs that are downloaded before they start need a while.
pub const MCP_CONNECT_MS_MAX: u64 = 30_000;

/// Time that one call of a tool may take.
pub const MCP_CALL_MS_MAX: u64 = 120_000;

/// Maximum length in bytes of a message from a server that is a program: the limit of the protocol library over HTTP.
pub const MCP_MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Time that a program may take to exit once its input is closed. After that it is killed.
pub const MCP_EXIT_WAIT: Duration = Duration::from_secs(3);

/// Maximum number of bytes kept of the name that a client gives itself. It appears in records that people read.
pub const CLIENT_NAME_BYTES_MAX: usize = 128;

/// Maximum number of backpacks that a list shows, newest first: each is read whole for its line.
pub const BACKPACKS_LISTED_MAX: usize = 200;

/// Maximum number of backpacks that a search without a named backpack reads, newest first: some seconds of reading.
pub const BACKPACKS_SEARCHED_MAX: usize = 10_000;

/// Default number of commits that a log shows: a few screens.
pub const COMMITS_SHOWN: usize = 50;

/// Maximum number of commits that a log shows: the number that a backpack keeps in memory.
pub const COMMITS_SHOWN_MAX: usize = 10_000;

/// Maximum number of keys, versions or quarantined entries shown at once.
pub const ITEMS_SHOWN_MAX: usize = 500;

/// Maximum number of changed keys shown at once, each with its lines.
pub const CHANGES_SHOWN_MAX: usize = 200;

/// Maximum number of bytes of diff lines shown for two states of a backpack: as much as anybody reads. Beyond it, keys are
/// listed without their lines, which are counted.
pub const BACKPACK_DIFF_BYTES_MAX: usize = 512 * 1024;

/// Maximum number of nodes and of edges of a flow that are drawn; the rest is counted. Above it, nobody sees anything in
/// a drawing.
pub const FLOW_GRAPH_MAX: usize = 1_000;

/// Maximum number of bytes of a value shown beside other output: a long document. A request for a single value returns
/// all of it.
pub const VALUE_SHOWN_BYTES_MAX: usize = 64 * 1024;

/// Maximum number of forks followed to find the common origin of two backpacks. Nobody forks deeper by hand.
pub const FORKS_FOLLOWED_MAX: usize = 32;

/// Maximum number of records of files written in a run that are examined, per Mount, and of its frames: those of a long
/// run.
pub const RUN_RECORDS_MAX: usize = 2_000;

/// Maximum number of changed lines of a value that are shown.
pub const DIFF_LINES_MAX: usize = 400;

/// Number of context lines shown around a change.
pub const DIFF_CONTEXT_LINES: usize = 3;

/// Maximum length in bytes of a line of a diff: a few lines of a terminal.
pub const DIFF_LINE_BYTES_MAX: usize = 1_000;

/// Time that a call waits until it may write to its backpack, behind other calls and other processes together. A write
/// takes milliseconds; agents give up after a minute.
pub const STATE_TURN_WAIT: Duration = Duration::from_secs(10);

/// Time after which a call that waits for its backpack looks who has it open. Agents have it open for a few tens of
/// milliseconds.
pub const STATE_TURN_MOMENT: Duration = Duration::from_millis(500);

/// Maximum number of calls of a process that share one turn to write to a backpack. Then other processes get their
/// turn. That many calls take a few tens of milliseconds, far less than a call waits for its turn.
pub const STATE_TURN_CALLS_MAX: usize = 256;

/// Maximum number of bytes of a value in one reply to an agent: about twenty thousand tokens.
pub const VALUE_TOLD_BYTES_MAX: usize = 64 * 1024;

/// Maximum number of keys in one reply to an agent.
pub const KEYS_TOLD_MAX: usize = 500;

/// Maximum number of commits in one reply to an agent; the newest are kept.
pub const STATE_COMMITS_TOLD_MAX: usize = 50;

/// Maximum number of keys granted to an agent by name: a person writes the list.
pub const STATE_KEYS_MAX: usize = 256;

/// Maximum number of context agents that one file configures: a team, not a crowd.
pub const CONTEXT_AGENTS_MAX: usize = 64;

/// Maximum length in bytes of a context agent's prompt: some pages.
pub const CONTEXT_PROMPT_BYTES_MAX: usize = 32 * 1024;

/// Time that a watcher waits for another process that is regenerating: that process does the same work.
pub const REGENERATION_PATIENCE: Duration = Duration::from_secs(30);

/// Maximum size in bytes of a file that a model is asked about: what the windows of most models hold.
pub const GENERATE_FILE_BYTES_MAX: u64 = 512 * 1024;

/// Maximum number of bytes of text that a model gets with one question, for the same reason.
pub const GENERATE_CONTEXT_BYTES_MAX: usize = 768 * 1024;

/// Maximum number of directory entries that a model gets together with their frames: fewer than a frame can name, so
/// that related paths fit as well. Beyond it, each entry gets one line, and the rest is counted.
pub const GENERATE_ENTRIES_MAX: usize = 900;

/// Maximum number of bytes of all these lines together: an overview, not everything.
pub const GENERATE_ENTRIES_BYTES_MAX: usize = 128 * 1024;
/// Maximum number of bytes of the sentence in one such line.
pub const GENERATE_LINE_BYTES_MAX: usize = 240;

/// Maximum number of nodes that one call lets models write about. More is a whole company's code, and a bill to match.
pub const GENERATE_NODES_MAX: usize = 100_000;

/// Default number of tokens of an answer about one node: a page.
pub const GENERATE_ANSWER_TOKENS: u32 = 800;

/// Default number of concurrent requests to models: providers allow everyone a few.
pub const GENERATE_AT_ONCE: usize = 4;

/// Maximum number of concurrent requests to models.
pub const GENERATE_AT_ONCE_MAX: usize = 64;

/// Maximum number of changed paths of an overlay shown at once, each with its author: more than anybody looks through
/// in one sitting. The rest is counted.
pub const OVERLAY_CHANGES_SHOWN_MAX: usize = 1_000;

/// Maximum number of items on a page of a long list: a few screens. A reply stays far below a megabyte.
pub const PAGE_MAX: usize = 200;

/// Maximum number of lines of the diff of one file in an overlay. Nobody reads more of them; the rest is counted.
pub const OVERLAY_FILE_LINES_MAX: usize = 5_000;

/// Maximum number of bytes of a line of that diff, as long as a page of text. The rest of the line is left out.
pub const OVERLAY_LINE_BYTES_MAX: usize = 4_000;

/// Maximum number of bytes of that diff, as JSON: two of them, where an entry replaced one of another kind, are less than
/// a reply.
pub const OVERLAY_FILE_DIFF_BYTES_MAX: usize = 400 * 1024;

/// Maximum number of changes of an overlay that one request decides about: as many as an overlay lists.
pub const SEEN_CHANGES_MAX: usize = 10_000;

/// Maximum number of bytes of diff lines shown for an overlay: a hundred thousand lines. Beyond it, only the names of
/// paths are shown.
pub const OVERLAY_DIFF_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Maximum number of bytes of two contents of a file that are compared line by line. Beyond it, only sizes are shown.
pub const FILE_DIFF_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Time that a comparison spends looking for the shortest diff. After that it uses what it has, which is correct but
/// longer.
pub const DIFF_TIME_MAX: Duration = Duration::from_secs(2);

/// Maximum number of warnings of a flow's run that its reply repeats; a node in a loop can give one each time.
pub const WARNINGS_MAX: usize = 100;

/// True if a count is zero, for fields that JSON leaves out then.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "this is the form that serde asks for")]
pub(crate) const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Cuts a list to a limit. Returns the number of items left out as well.
pub(crate) fn cut<T>(mut items: Vec<T>, max: usize) -> (Vec<T>, usize) {
    let left_out = items.len().saturating_sub(max);
    items.truncate(max);
    (items, left_out)
}

/// Maximum size of a query line in bytes: far more than a line on a screen.
pub const QUERY_LINE_BYTES_MAX: usize = 2_000;

/// Maximum number of terms in a query line. A person writes a handful.
pub const QUERY_TERMS_MAX: usize = 32;

/// Maximum number of values that a field is compared with in one term.
pub const QUERY_VALUES_MAX: usize = 5;

/// Maximum number of values that are offered for a query line: as many as a menu shows.
pub const COMPLETIONS_MAX: usize = 20;

/// Number of runs on a page, if nobody says how many: about a screen.
pub const RUN_PAGE_DEFAULT: usize = 50;

/// Maximum number of things of one kind, runs aside, that a search returns: a person reads a handful of each. The rest
/// is counted.
#[cfg(feature = "flow")]
pub const SEARCH_GROUP_MAX: usize = 20;

/// Maximum number of sources of one kind, such as backpacks, that one search reads because they changed: a second. The
/// rest is counted, and read by the next search.
#[cfg(feature = "flow")]
pub const SEARCH_SOURCES_READ_MAX: usize = 500;

/// Maximum number of bytes of a frame that are searched.
#[cfg(feature = "flow")]
pub const SEARCH_FRAME_BYTES_MAX: usize = 32 * 1024;

/// Maximum number of paths of the file log that are searched: the newest. It is the most that one source of the index
/// has.
#[cfg(feature = "flow")]
pub const SEARCH_PATHS_MAX: usize = 10_000;

/// Maximum number of pages of the file log that are read for them: 20,000 records.
#[cfg(feature = "flow")]
pub const SEARCH_LOG_PAGES_MAX: usize = 100;

/// Size of documents at which they are written to the index, so that one call does not keep other writers waiting.
#[cfg(feature = "flow")]
pub const SEARCH_BATCH_BYTES: usize = 8 * 1024 * 1024;
