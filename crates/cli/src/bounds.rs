//! All limits of the program, in one place.

use std::time::Duration;

/// Maximum size of a log file in bytes before a new one begins: some twenty thousand lines.
pub(crate) const LOG_FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;

/// Maximum number of failed calls of one tool and code that get a line each within [`LOG_FAILURES_SPAN`]; the rest is
/// counted. An agent that retries in vain makes a handful; one that is caught in a loop makes thousands.
pub(crate) const LOG_FAILURES_MAX: u32 = 20;

/// Time span within which failed calls are counted together.
pub(crate) const LOG_FAILURES_SPAN: Duration = Duration::from_mins(1);

/// Number of full log files that are kept beside the current one: 10 MB in total.
pub(crate) const LOG_FILES_KEPT: u32 = 4;

/// Number of lines, the newest, that `piton logs` shows by default: as many as a person reads.
pub(crate) const LOG_LINES_SHOWN: usize = 200;

/// Maximum size of a workflow file in bytes. The compiler's own limit is far lower.
pub(crate) const WORKFLOW_FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Maximum number of changed lines of an adopted file that are shown; the rest is counted.
pub(crate) const ADOPTED_LINES_SHOWN_MAX: usize = 8;

/// Maximum number of bytes of a changed line that are shown: a prompt can be a line of thousands.
pub(crate) const ADOPTED_LINE_BYTES_MAX: usize = 96;

/// Maximum size in bytes of a client's configuration file that is edited. Some clients keep histories in theirs.
pub(crate) const CLIENT_FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// Maximum number of bytes that are read as the notes of one step. A later check refuses notes that are too long, by
/// name.
pub(crate) const NOTES_BYTES_MAX: u64 = 1024 * 1024;

/// Maximum length in bytes of a name that a message quotes: several fit into a line.
pub(crate) const NAME_BYTES_MAX: usize = 40;

/// Width that a column of a table keeps on a narrow terminal: enough letters to recognise a word.
pub(crate) const COLUMN_WIDTH_MIN: usize = 7;

/// Number of ports after the default one that are tried. Users with more servers on one machine choose ports.
pub(crate) const PORTS_TRIED: u16 = 20;

/// Number of ports after the default one that the console tries before it takes any: those below the servers for agents.
pub(crate) const CONSOLE_PORTS_TRIED: u16 = 6;

/// Time that `up` waits for the console beside it. It takes a fraction of a second; agents are served either way.
pub(crate) const CONSOLE_START_WAIT: Duration = Duration::from_secs(5);

/// Maximum size of a token file in bytes; a token is one line.
pub(crate) const TOKEN_FILE_BYTES_MAX: u64 = 4096;

/// Time that a server which a client is configured to start may take for the handshake. It takes a fraction of a
/// second, and clients give up sooner rather than later.
pub(crate) const PROBE_WAIT: Duration = Duration::from_secs(10);

/// Maximum number of bytes that are read from a probed server: its welcome has two kilobytes.
pub(crate) const PROBE_BYTES_MAX: u64 = 64 * 1024;

/// Maximum length in bytes of a probed server's line that is quoted.
pub(crate) const PROBE_QUOTE_BYTES_MAX: usize = 200;

/// Maximum size in bytes of the notice that says where a server listens; it has a few lines.
pub(crate) const NOTICE_BYTES_MAX: u64 = 4096;

/// Number of runs, the newest, of which `piton session list` checks whether they wait for a person: each check may
/// read a session.
pub(crate) const WAITING_CHECKED_MAX: usize = 100;

/// Time that an answer to a shell may take to bring the index of runs up to date: a person does not notice it.
pub(crate) const COMPLETION_WAIT: Duration = Duration::from_millis(200);

/// Maximum number of names that a shell is offered: more than a person looks through.
pub(crate) const COMPLETIONS_MAX: usize = 100;

/// Width of the command-line reference in columns: as much as a page shows without a scroll bar.
pub(crate) const REFERENCE_COLUMNS: usize = 100;

/// Maximum size in bytes of a file of context operations: a hundred thousand operations, each with a page of text.
pub(crate) const BATCH_FILE_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// Number of stale frames that `piton context status` names: as many as one sees at a glance.
pub(crate) const STALE_SHOWN: usize = 5;

/// Time between two movements of a progress line, which show that the work is not stuck: often enough to look alive.
pub(crate) const PROGRESS_TICK: Duration = Duration::from_millis(120);

/// Time that a watcher waits for a change before it checks whether it was stopped.
pub(crate) const WATCH_STEP: Duration = Duration::from_millis(200);

/// Time between two looks at a watched inbox: a person does not notice a second.
pub(crate) const INBOX_INTERVAL: Duration = Duration::from_secs(1);

/// Time that a process may take to end once it is asked to. It takes a moment, unless the process waits for a peer that
/// does not read its output.
pub(crate) const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// Maximum size in bytes of a flow's settings file: people write it by hand.
pub(crate) const SETTINGS_BYTES_MAX: u64 = 1024 * 1024;

/// Maximum length in bytes of a line in `piton workspace shell`: a call's argument may be a whole file.
pub(crate) const SHELL_BYTES_MAX: u64 = 1024 * 1024;

/// Maximum number of bytes of a small artifact that are shown inline: two lines of a wide terminal.
pub(crate) const ARTIFACT_LINE_BYTES_MAX: usize = 240;

/// Maximum number of applied and of skipped paths that `piton workspace apply` names: as many as fit on a screen.
pub(crate) const APPLIED_SHOWN: usize = 20;

/// Pause between two acts of the demo in the console: a person sees what happened before the next thing does.
pub(crate) const DEMO_ACT_PAUSE: Duration = Duration::from_millis(1500);

/// Pause between two questions of the demo's agent whether a person has decided. They see the effect at once.
pub(crate) const DEMO_ASK_PAUSE: Duration = Duration::from_millis(500);

/// Number of times that the demo's agent asks whether a person has decided: for an hour. Then it leaves, and the run
/// stays as it is.
pub(crate) const DEMO_ASKS_MAX: usize = 7200;

/// Maximum number of acts of the demo, loops included.
pub(crate) const DEMO_ACTS_MAX: usize = 32;

/// Number of things of one kind that `piton search` shows, if nobody says how many: all kinds fit on a screen.
pub(crate) const SEARCH_SHOWN: usize = 8;
