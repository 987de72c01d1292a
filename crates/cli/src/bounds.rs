//! Every limit of the program, in one place.

use std::time::Duration;

/// The largest file of logs in bytes, before a new one is begun: some twenty thousand lines.
pub(crate) const LOG_FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;

/// How many failed calls of one tool and code are a line each within [`LOG_FAILURES_SPAN`]; the rest is counted. An agent
/// that tries in vain makes a handful; one that is caught in a loop makes thousands.
pub(crate) const LOG_FAILURES_MAX: u32 = 20;

/// The time for which failed calls are counted together.
pub(crate) const LOG_FAILURES_SPAN: Duration = Duration::from_mins(1);

/// How many full files of logs are kept beside the one that is written: 10 MB with it.
pub(crate) const LOG_FILES_KEPT: u32 = 4;

/// How many lines `piton logs` shows, the newest, unless told otherwise: what a person reads.
pub(crate) const LOG_LINES_SHOWN: usize = 200;

/// The largest workflow file that is read in bytes; the compiler refuses far smaller ones.
pub(crate) const WORKFLOW_FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// How many changed lines of an adopted file are shown; the rest is counted.
pub(crate) const ADOPTED_LINES_SHOWN_MAX: usize = 8;

/// How much of a changed line is shown, in bytes: prompts are lines of thousands.
pub(crate) const ADOPTED_LINE_BYTES_MAX: usize = 96;

/// The largest configuration of a client that is edited, in bytes. Some clients keep histories in theirs.
pub(crate) const CLIENT_FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// The most that is taken as the notes of one step, in bytes; what is too long for a step is refused later, by name.
pub(crate) const NOTES_BYTES_MAX: u64 = 1024 * 1024;

/// The longest text in a column of a table, in bytes: six columns fit beside each other in a wide terminal.
pub(crate) const CELL_BYTES_MAX: usize = 40;

/// How many ports behind the usual one are tried. Somebody with more servers on one machine chooses ports.
pub(crate) const PORTS_TRIED: u16 = 20;

/// The largest file with a token in bytes; a token is a line.
pub(crate) const TOKEN_FILE_BYTES_MAX: u64 = 4096;

/// How long a server that a client is told to start may take to shake hands. It takes a fraction of a second, and
/// clients give up sooner than later.
pub(crate) const PROBE_WAIT: Duration = Duration::from_secs(10);

/// How much of what such a server says is read, in bytes: its welcome has two kilobytes.
pub(crate) const PROBE_BYTES_MAX: u64 = 64 * 1024;

/// The longest line of such a server that is quoted, in bytes.
pub(crate) const PROBE_QUOTE_BYTES_MAX: usize = 200;

/// The largest notice of where a server listens, in bytes; it has a few lines.
pub(crate) const NOTICE_BYTES_MAX: u64 = 4096;

/// How wide the reference of the command line is, in columns: what a page shows without a scroll bar.
pub(crate) const REFERENCE_COLUMNS: usize = 100;

/// The largest file of operations on context, in bytes: a hundred thousand of them, each with a page of text.
pub(crate) const BATCH_FILE_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// How many stale frames `piton context status` names: what is seen at a glance.
pub(crate) const STALE_SHOWN: usize = 5;

/// How long a watcher waits for a change before it looks whether it was stopped.
pub(crate) const WATCH_STEP: Duration = Duration::from_millis(200);

/// How long a process that was told to end may take to do so. It takes a moment, unless it waits for somebody who does
/// not read what it says.
pub(crate) const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// The largest file of settings that a flow is given: people write it by hand.
pub(crate) const SETTINGS_BYTES_MAX: u64 = 1024 * 1024;

/// The longest line of `piton workspace shell` in bytes: a whole file may be typed as the argument of a call.
pub(crate) const SHELL_BYTES_MAX: u64 = 1024 * 1024;

/// How much of a small artifact is shown in a line, in bytes: two lines of a wide terminal.
pub(crate) const ARTIFACT_LINE_BYTES_MAX: usize = 240;

/// How many paths `piton workspace apply` names of what it applied and of what it did not: what fits on a screen.
pub(crate) const APPLIED_SHOWN: usize = 20;
