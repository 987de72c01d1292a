//! All limits of this crate.

use std::time::Duration;

/// Maximum size of a message in bytes, as a line of a pipe or as the body of a request. A step is submitted with at
/// most 256 KiB of context, and models write files far smaller than this; a larger one is written in parts.
pub const MESSAGE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Maximum size of the list of tools of one set, in bytes of JSON. Agents carry it through every conversation.
pub const TOOLS_BYTES_MAX: usize = 8 * 1024;

/// Maximum number of artifacts in the list of resources. People choose from this list by eye.
pub const RESOURCE_ARTIFACTS_MAX: usize = 20;

/// Maximum size of a recap as a resource, in bytes. It goes into the context of a model whole, and a recap is composed
/// to be far smaller.
pub const RECAP_BYTES_MAX: usize = 64 * 1024;

/// Time that a client may take to report its roots. A person waits for it, once.
pub const ROOTS_WAIT: Duration = Duration::from_secs(1);

/// Time that a call waits for the answer of a person. Then the call ends, and the run waits for them.
pub const PERSON_WAIT: Duration = Duration::from_mins(5);

/// Maximum length of a person's answer in characters. The record of an answer holds 512 bytes.
pub const PERSON_ANSWER_LENGTH_MAX: usize = 400;

/// Interval at which a long call reports progress. Clients give up after a minute of silence or more.
pub const PROGRESS_EVERY: Duration = Duration::from_secs(2);

/// Minimum length of the server's token in bytes. That many random letters and digits cannot be guessed.
pub const TOKEN_BYTES_MIN: usize = 24;

/// Maximum length of the server's token in bytes. Servers and proxies limit headers to a few kilobytes.
pub const TOKEN_BYTES_MAX: usize = 1024;

/// Maximum number of problems with the arguments of a call that are reported at once; the others are counted.
pub const ARGUMENT_PROBLEMS_MAX: usize = 10;

/// Maximum length of a request id, in bytes, that is kept of a message that is too long. Clients use numbers or a UUID.
pub const ID_BYTES_MAX: usize = 128;

/// Maximum length of a name from a call that a message quotes, in bytes.
pub const QUOTED_BYTES_MAX: usize = 64;

/// Time that a stopping server waits for running calls. An append takes milliseconds, and service managers kill a
/// process after 10 seconds or more.
pub const SHUTDOWN_WAIT: Duration = Duration::from_secs(5);

/// Delay after which the outcome of a file change is written, if no further change takes it along. The calls of an
/// agent that edits come closer together, and a person who asks who changed a file does not ask sooner.
pub const FLUSH_AFTER: Duration = Duration::from_millis(100);

/// Maximum number of client connections. An agent has two or three, and a person's machine runs a handful of agents.
pub const CONNECTIONS_MAX: usize = 512;

/// Time that a client may take to send the head of a request, and that a connection may stay idle. The clients that we
/// know close idle connections within 5 seconds themselves.
pub const HEAD_WAIT: Duration = Duration::from_secs(30);

/// Time that a client may take to send the message of a request. The longest one takes a second on a slow line.
pub const BODY_WAIT: Duration = Duration::from_secs(30);

/// Size in bytes beyond which a message counts as long.
pub const LONG_BODY_BYTES: usize = 64 * 1024;

/// Maximum number of long messages that are held at a time; the others wait. Together with the size of a message, this
/// bounds their memory to 128 MiB.
pub const LONG_BODIES_MAX: usize = 32;

/// Time that connections may take to close after the server has ended.
pub const CLOSE_WAIT: Duration = Duration::from_secs(1);

/// Maximum number of client sessions. The one that was idle for the longest time makes room for another. Each takes
/// tens of kilobytes. If replies are kept, a client does not notice that its session made room.
pub const SESSIONS_MAX: usize = 256;

/// Maximum number of running calls of one client over a pipe; more are refused. Agents make a few at a time.
pub const PIPE_CALLS_MAX: usize = 1024;

/// Maximum number of replies that may wait for a client that does not read. Beyond it, nothing more is read from the
/// client.
pub const PIPE_REPLIES_MAX: usize = 64;

/// Time that a client may leave a reply unread before it is dropped. A client under a debugger resumes sooner; one that
/// hangs keeps the process and everything that waits in it.
pub const PIPE_WRITE_WAIT: Duration = Duration::from_mins(2);

/// Interval at which a pending reply is looked for, on behalf of a client that came back for it.
pub const REPLAY_PAUSE: Duration = Duration::from_millis(100);

/// Time for which a pending reply is looked for. Then the client is asked to come back once more.
pub const REPLAY_WAIT: Duration = Duration::from_secs(30);

/// Time that a call without a session waits to see whether the client of an equal running call is gone. A server
/// notices a closed connection within milliseconds.
pub const REPEAT_GRACE: Duration = Duration::from_millis(300);

/// Time for which a reply is kept for a client without a session. A client that lost its connection repeats the call
/// within seconds; a later equal message comes from another client that also numbers from one.
pub const UNHEARD_TIME: Duration = Duration::from_mins(2);

/// Maximum size in bytes of a reply that is kept for a client without a session. Most have a few kilobytes.
pub const UNHEARD_BYTES_MAX: usize = 1024 * 1024;
