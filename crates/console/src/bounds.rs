//! All limits of this crate.

use std::time::Duration;

/// Time during which the key of a link can be used. A person opens the link at once, or asks for another.
pub const KEY_LIFE: Duration = Duration::from_mins(10);

/// Maximum number of unused keys. Whoever asks for more links than this forgets the first.
pub const KEYS_MAX: usize = 8;

/// Maximum number of browsers that are signed in. A person has a handful; the one that entered first makes room.
pub const BROWSERS_MAX: usize = 32;

/// Time after which a browser has to enter again: a working day.
pub const BROWSER_LIFE: Duration = Duration::from_hours(12);

/// Maximum length of the name that a person enters with, in bytes. It is recorded with each of their decisions.
pub const PERSON_BYTES_MAX: usize = 64;

/// Number of times that a change of the sign-ins is tried again because another process changed them meanwhile. People
/// sign in one after the other, so the second attempt succeeds.
pub const ENTRANCE_ATTEMPTS_MAX: usize = 8;

/// Maximum number of bytes of the path of a project that a refusal quotes: some lines.
pub const PROJECT_QUOTED_BYTES_MAX: usize = 256;

/// Maximum size of a request's body in bytes. The largest is a workflow file, and the compiler's own limit is lower.
pub const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Maximum size of a reply in bytes, unless its route says otherwise. A page reads it in a few milliseconds; what has
/// more to say is asked for page by page.
pub const REPLY_BYTES_MAX: usize = 1024 * 1024;

/// Maximum size of the shape of a run in bytes: a run of 10,000 nodes has a few megabytes.
pub const SHAPE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Maximum size of a file that is sent in bytes: that of the largest bundle.
pub const FILE_BYTES_MAX: usize = piton_runtime::workflow::BUNDLE_BYTES_MAX;

/// Maximum number of entries that a request may ask for at a time: some screens full.
pub const LIMIT_MAX: usize = 200;

/// Number of the newest hints that a page which lost its connection can ask for. At one hint per thing in 100 ms, a
/// busy machine fills it in minutes, and a page that was away for longer asks for everything anyway.
pub const HINTS_KEPT: usize = 4096;

/// Minimum time between two hints about the same thing. A page cannot show more changes than this.
pub const HINT_EVERY: Duration = Duration::from_millis(100);

/// Time between a change and the first hint about it. A change is noticed before the call that makes it is answered, and
/// what the console reads then would slow that call.
pub const HINT_DELAY: Duration = Duration::from_millis(30);

/// Interval at which a silent stream of changes sends a comment, so that proxies do not cut it.
pub const COMMENT_EVERY: Duration = Duration::from_secs(15);

/// Maximum number of streams of changes. Each tab has one, while it can be seen.
pub const STREAMS_MAX: usize = 64;

/// Pause before the source of changes is asked for again after it failed.
pub const SOURCE_PAUSE: Duration = Duration::from_secs(1);

/// Maximum length of an origin in bytes: that of the longest host name.
pub const ORIGIN_BYTES_MAX: usize = 300;

/// Maximum number of connections. A browser opens six, and a person has a handful of browsers.
pub const CONNECTIONS_MAX: usize = 128;

/// Time that a browser may take to send the head of a request, and that a connection may stay idle.
pub const HEAD_WAIT: Duration = Duration::from_secs(30);

/// Time that a browser may take to send the body of a request. The longest one takes seconds on a slow line.
pub const BODY_WAIT: Duration = Duration::from_secs(30);

/// Time that requests in progress may take when the server stops.
pub const SHUTDOWN_WAIT: Duration = Duration::from_secs(2);

/// Time that changes are watched after the last page closed its stream. A page that is shown again soon continues where
/// it was.
pub const WATCH_LINGER: Duration = Duration::from_secs(30);
