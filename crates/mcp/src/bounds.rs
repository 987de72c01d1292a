//! Every limit of this crate, in one place.

use std::time::Duration;

/// The longest message in bytes, as a line of a pipe or as the body of a request. A step is handed in with 256 KiB of
/// context at most, and models write files far smaller than this; a larger one is written in parts.
pub const MESSAGE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How large the list of the tools of one set may be in bytes of JSON. Agents carry it through every conversation.
pub const TOOLS_BYTES_MAX: usize = 8 * 1024;

/// How long a client may take to say where its roots are. A person waits for it, once.
pub const ROOTS_WAIT: Duration = Duration::from_secs(1);

/// How long a person is waited for who is asked while a call goes on. Then the call ends, and the run waits for them.
pub const PERSON_WAIT: Duration = Duration::from_mins(5);

/// The longest answer of a person in characters; a record of what they said holds 512 bytes.
pub const PERSON_ANSWER_LENGTH_MAX: usize = 400;

/// How often a call that takes long says that it is still at work. Clients give up after a minute of silence or more.
pub const PROGRESS_EVERY: Duration = Duration::from_secs(2);

/// The shortest token of the server in bytes: that many random letters and digits cannot be tried out.
pub const TOKEN_BYTES_MIN: usize = 24;

/// The longest token of the server in bytes. Servers and proxies limit headers to a few kilobytes.
pub const TOKEN_BYTES_MAX: usize = 1024;

/// How many things that are wrong with the arguments of a call are told at once; the rest is counted.
pub const ARGUMENT_PROBLEMS_MAX: usize = 10;

/// The longest id of a request, in bytes, that is kept of a message that is too long. Clients count, or send a UUID.
pub const ID_BYTES_MAX: usize = 128;

/// The longest name from a call that a message quotes, in bytes.
pub const QUOTED_BYTES_MAX: usize = 64;

/// How long a server that is asked to stop waits for calls that are under way. An append takes milliseconds, and those
/// who run services kill them after 10 seconds or more.
pub const SHUTDOWN_WAIT: Duration = Duration::from_secs(5);

/// How long after a change of a file its outcome is written, if no further change takes it along. An agent that edits
/// makes its calls closer together than that, and a person who asks who changed a file does not ask sooner.
pub const FLUSH_AFTER: Duration = Duration::from_millis(100);

/// How many connections clients may have. An agent has two or three, and the machine of a person a handful of agents.
pub const CONNECTIONS_MAX: usize = 512;

/// How long a client may take to send the head of a request, and how long a connection may be without one. The clients
/// that we know close idle connections within 5 seconds themselves.
pub const HEAD_WAIT: Duration = Duration::from_secs(30);

/// How long a client may take to send the message of a request. The longest one takes a second on a slow line.
pub const BODY_WAIT: Duration = Duration::from_secs(30);

/// A message beyond so many bytes is a long one.
pub const LONG_BODY_BYTES: usize = 64 * 1024;

/// How many long messages are held at a time; the others wait. With the length of a message, that bounds what all of
/// them take to 128 MiB.
pub const LONG_BODIES_MAX: usize = 32;

/// How long connections may take to end after the server has.
pub const CLOSE_WAIT: Duration = Duration::from_secs(1);

/// How many sessions of clients are held; the one that was idle for the longest time makes room for another. Each takes
/// tens of kilobytes. A client whose session made room does not notice where replies are kept.
pub const SESSIONS_MAX: usize = 256;

/// How many calls of one client may be under way over a pipe; more are refused. Agents make a few at a time.
pub const PIPE_CALLS_MAX: usize = 1024;

/// How many replies may wait for a client that does not read; then nothing more is read from it.
pub const PIPE_REPLIES_MAX: usize = 64;

/// How long a client may leave a reply unread before it is dropped. One that is looked at with a debugger reads again
/// sooner; one that hangs keeps the process, and all that waits in it.
pub const PIPE_WRITE_WAIT: Duration = Duration::from_mins(2);

/// How often a reply that is still being worked on is looked for, for a client that came back for it.
pub const REPLAY_PAUSE: Duration = Duration::from_millis(100);

/// How long it is looked for; then the client is asked to come back once more.
pub const REPLAY_WAIT: Duration = Duration::from_secs(30);

/// How long a call without a session waits to see whether the client of an equal call that is under way is gone. A server
/// notices a connection that is closed within milliseconds.
pub const REPEAT_GRACE: Duration = Duration::from_millis(300);

/// How long a reply is kept for a client without a session. One that lost its connection repeats the call within seconds;
/// an equal message later comes from another client, which counts from one as well.
pub const UNHEARD_TIME: Duration = Duration::from_mins(2);

/// The longest reply in bytes that is kept for a client without a session. Most have a few kilobytes.
pub const UNHEARD_BYTES_MAX: usize = 1024 * 1024;
