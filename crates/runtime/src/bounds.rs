//! Every limit of this crate, in one place.

use std::time::Duration;

/// The largest configuration file in bytes. One that says everything has a few hundred.
pub const CONFIG_BYTES_MAX: u64 = 256 * 1024;

/// How many problems of configuration are reported. Nobody mends more at once; the rest is counted.
pub const CONFIG_PROBLEMS_MAX: usize = 50;

/// How far up from a directory something is looked for. Deeper trees are made by accident.
pub const ANCESTORS_MAX: usize = 64;

/// How many workflow files one source holds. People have dozens; the limit keeps a directory that was named by
/// mistake from being read whole.
pub const SOURCE_FILES_MAX: usize = 512;

/// How many entries of directories one source is searched through, for the same reason.
pub const SOURCE_ENTRIES_MAX: usize = 8192;

/// How many directories below the first a source is searched.
pub const SOURCE_DEPTH_MAX: usize = 4;

/// How many files a process keeps compiled: those of a few projects with all their sources.
pub const COMPILED_KEPT_MAX: usize = 2048;

/// How many similar names a refusal offers.
pub const NEAREST_MAX: usize = 3;

/// How many names a refusal lists when none is similar.
pub const NAMES_LISTED_MAX: usize = 20;

/// The longest name that is compared with others, in bytes. Comparing costs the product of both lengths.
pub const COMPARED_BYTES_MAX: usize = 128;

/// The largest of git's small files in bytes: `HEAD`, a ref, `commondir`, the `.git` of a worktree.
pub const GIT_FILE_BYTES_MAX: u64 = 16 * 1024;

/// How much of git's `packed-refs` is read, in bytes: about a hundred thousand branches and tags.
pub const PACKED_REFS_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// How many bytes of an artifact an agent reads at once: as much as it takes in without losing the rest.
pub const ARTIFACT_PART_BYTES_MAX: usize = 64 * 1024;

/// How many artifacts are read to find one by its kind. A run has dozens.
pub const ARTIFACTS_SEARCHED_MAX: usize = 1024;

/// How many artifacts are read to show a run or a branch, the newest first. What is beyond is shown by its digest.
pub const ARTIFACTS_READ_MAX: usize = 128;

/// How much of what was searched for a reply repeats, in bytes: a line.
pub const SEARCHED_BYTES_MAX: usize = 120;

/// How many runs a connection remembers as open. Somebody with more of them lost count long before.
pub const OPEN_RUNS_MAX: usize = 32;

/// How many other open runs a reply names; the rest is counted.
pub const OPEN_RUNS_SHOWN_MAX: usize = 5;

/// How many characters at the end of an id are enough to name it on the command line, if no other id ends so.
pub const ID_ENDING_BYTES_MIN: usize = 4;

/// How many characters at the end of a node's id are shown with it: enough to name it in its run.
pub const ID_ENDING_SHOWN: usize = 8;

/// How many digits of a digest are shown: enough that two of one project differ.
pub const DIGEST_DIGITS_SHOWN: usize = 12;

/// How much of a name that is refused is quoted, in bytes: a line of a terminal.
pub const NAME_QUOTED_BYTES_MAX: usize = 80;

/// How many sessions or runs a refusal lists when a name fits several.
pub const CANDIDATES_LISTED_MAX: usize = 5;

/// How many steps of a run are shown at once, the newest; a session is read whole for it. What is left out is
/// counted.
pub const STEPS_SHOWN_MAX: usize = 500;

/// The longest first line of notes in a tree, in bytes: the width of a terminal.
pub const HEADLINE_BYTES_MAX: usize = 120;

/// For how many days sessions are kept, unless told otherwise: a quarter.
pub const RETENTION_DAYS_DEFAULT: u32 = 90;

/// The port of the server, unless told otherwise: free, and PITO on the keys of a telephone.
pub const HTTP_PORT_DEFAULT: u32 = 7477;

/// The largest port that there is.
pub const HTTP_PORT_MAX: u32 = 65_535;

/// How much of a path that is refused is quoted, in bytes.
pub const PATH_QUOTED_BYTES_MAX: usize = 512;

/// The most MCP servers whose tools flows may use: a person configures a handful.
pub const MCP_SERVERS_MAX: usize = 32;

/// The most tools of one such server. Models get worse long before.
pub const MCP_TOOLS_MAX: usize = 512;

/// How long a server may take to answer for the first time: programs that are fetched before they start need a while.
pub const MCP_CONNECT_MS_MAX: u64 = 30_000;

/// How long one call of a tool may take.
pub const MCP_CALL_MS_MAX: u64 = 120_000;

/// The longest message of a server that is a program, in bytes: what the library of the protocol takes over HTTP.
pub const MCP_MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How long a program may take to end when nothing is sent to it any more; then it is killed.
pub const MCP_EXIT_WAIT: Duration = Duration::from_secs(3);

/// How much of the name is kept that a client gives itself, in bytes. It stands in records that people read.
pub const CLIENT_NAME_BYTES_MAX: usize = 128;

/// How many backpacks a list shows, the newest: each is read whole for its line.
pub const BACKPACKS_LISTED_MAX: usize = 200;

/// How many backpacks are read to find something whose backpack nobody named, the newest: some seconds of reading.
pub const BACKPACKS_SEARCHED_MAX: usize = 10_000;

/// How many commits a log shows unless told otherwise: a few screens.
pub const COMMITS_SHOWN: usize = 50;

/// How many commits a log shows at most: what a backpack keeps in memory.
pub const COMMITS_SHOWN_MAX: usize = 10_000;

/// How many keys, versions or quarantined entries are shown at once.
pub const ITEMS_SHOWN_MAX: usize = 500;

/// How many keys that differ are shown at once, each with its lines.
pub const CHANGES_SHOWN_MAX: usize = 200;

/// How much of a value is shown beside other things, in bytes: a long document. Whoever asks for one value gets all of
/// it.
pub const VALUE_SHOWN_BYTES_MAX: usize = 64 * 1024;

/// How many forks of forks are followed to find what two backpacks come from. Nobody forks deeper by hand.
pub const FORKS_FOLLOWED_MAX: usize = 32;

/// How many records of files that a run wrote are looked at, for each Mount, and how many of its frames: those of a
/// long run.
pub const RUN_RECORDS_MAX: usize = 2_000;

/// How many lines of a value that differ are shown.
pub const DIFF_LINES_MAX: usize = 400;

/// How many lines around those that differ are shown.
pub const DIFF_CONTEXT_LINES: usize = 3;

/// The longest line of a diff in bytes: a few lines of a terminal.
pub const DIFF_LINE_BYTES_MAX: usize = 1_000;

/// How long a call waits until it may write to the backpack that it is attached to, behind other calls and other
/// processes together. A write takes milliseconds; agents give up after a minute.
pub const STATE_TURN_WAIT: Duration = Duration::from_secs(10);

/// How many calls of a process take part in one turn to write to a backpack; then other processes get theirs. That many
/// take a few tens of milliseconds, far less than what a call waits for its turn.
pub const STATE_TURN_CALLS_MAX: usize = 256;

/// How much of a value one reply to an agent holds, in bytes: about twenty thousand tokens.
pub const VALUE_TOLD_BYTES_MAX: usize = 64 * 1024;

/// How many keys one reply to an agent lists.
pub const KEYS_TOLD_MAX: usize = 500;

/// How many commits one reply to an agent lists, the newest.
pub const STATE_COMMITS_TOLD_MAX: usize = 50;

/// How many keys an agent is granted by name: a person writes the list.
pub const STATE_KEYS_MAX: usize = 256;

/// How many agents of context one file configures: a team, not a crowd.
pub const CONTEXT_AGENTS_MAX: usize = 64;

/// The longest prompt of an agent of context, in bytes: some pages.
pub const CONTEXT_PROMPT_BYTES_MAX: usize = 32 * 1024;

/// How many entries of a directory are shown with it; the rest is counted.
pub const CHILDREN_SHOWN_MAX: usize = 200;

/// How many stale frames, or directories without a new frame, a text names; the rest is counted.
pub const SKIPPED_TOLD_MAX: usize = 20;

/// How many stale frames an agent is sent; the rest is counted.
pub const SKIPPED_SENT_MAX: usize = 200;

/// How many tokens a composition has, unless told otherwise: what fits into a prompt beside the task.
pub const COMPOSED_TOKENS: usize = 8_000;

/// How long a watcher waits for another process that regenerates: it does the same work.
pub const REGENERATION_PATIENCE: Duration = Duration::from_secs(30);

/// The largest file that a model is asked about, in bytes: what the windows of most models take.
pub const GENERATE_FILE_BYTES_MAX: u64 = 512 * 1024;

/// The most text that a model is given with one question, in bytes, for the same reason.
pub const GENERATE_CONTEXT_BYTES_MAX: usize = 768 * 1024;

/// How many entries of a directory a model is given with what is written about them: fewer than a frame can name, so
/// that related paths fit as well. Of more entries it is given one line each, and the rest is counted.
pub const GENERATE_ENTRIES_MAX: usize = 900;

/// Bytes of those lines together, and of the sentence in one: an overview, not everything.
pub const GENERATE_ENTRIES_BYTES_MAX: usize = 128 * 1024;
/// Bytes of one such sentence.
pub const GENERATE_LINE_BYTES_MAX: usize = 240;

/// How many nodes one call lets models write about. More is a whole company's code, and a bill to match.
pub const GENERATE_NODES_MAX: usize = 100_000;

/// How many tokens an answer about one node has, unless told otherwise: a page.
pub const GENERATE_ANSWER_TOKENS: u32 = 800;

/// How many models are asked at once, unless told otherwise: providers let everybody have a few.
pub const GENERATE_AT_ONCE: usize = 4;

/// How many may be asked at once at most.
pub const GENERATE_AT_ONCE_MAX: usize = 64;

/// How many paths that an overlay changed are shown at once, each with who changed it: more than anybody looks through
/// in one sitting. How many more there are is counted.
pub const OVERLAY_CHANGES_SHOWN_MAX: usize = 1_000;

/// How many bytes of lines are shown of all that an overlay changed: a hundred thousand lines. Of the paths after that
/// only the names are told.
pub const OVERLAY_DIFF_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The most bytes of two contents of a file that are compared line by line; beyond it only sizes are told.
pub const FILE_DIFF_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How long a comparison looks for the shortest answer. Then it takes what it has, which is right and longer.
pub const DIFF_TIME_MAX: Duration = Duration::from_secs(2);

/// The most warnings of a flow's run that its reply repeats; a node in a loop can give one each time.
pub const WARNINGS_MAX: usize = 100;
