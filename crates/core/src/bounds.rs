//! Every limit of this crate, in one place.
//!
//! *Invariants*: a limit is part of a format or of a contract; raising one is safe, lowering one
//! makes data that was written before unreadable.

/// The largest integer that a double holds exactly together with all smaller ones (2^53 − 1).
///
/// RFC 8785 numbers are doubles. A larger integer would be rounded by some readers and not by
/// others, so that the same digest would stand for different values.
pub const INTEGER_MAX: u64 = (1 << 53) - 1;

/// How much is shown of a number that is refused, in bytes.
pub const NUMBER_SHOWN_BYTES_MAX: usize = 64;

/// How deep arrays and objects may nest in canonical JSON.
///
/// The encoder recurses, so some bound is needed; this one is the deepest nesting that `serde_json`
/// reads with its default recursion limit of 128, so that what was written can be read.
pub const DEPTH_MAX: usize = 127;

/// The longest dedupe key in bytes. Part of the event format.
pub const DEDUPE_KEY_BYTES_MAX: usize = 256;

/// The longest workflow id in bytes: it becomes part of file names, which end at 255 bytes.
pub const WORKFLOW_ID_BYTES_MAX: usize = 128;

/// The longest namespace in bytes. Together with [`PATTERN_BYTES_MAX`] it bounds one match to
/// 65,536 byte comparisons.
pub const NAMESPACE_BYTES_MAX: usize = 256;

/// The longest namespace pattern in bytes.
pub const PATTERN_BYTES_MAX: usize = 256;

/// The largest `details` of an error envelope, in bytes of canonical JSON: an agent reads it as
/// part of its context, so it must stay small.
pub const DETAILS_BYTES_MAX: usize = 4096;

/// The longest message or suggestion of an error envelope in bytes, for the same reason.
pub const ENVELOPE_TEXT_BYTES_MAX: usize = 2048;

/// How many bytes of foreign text an error message quotes.
pub const EXCERPT_BYTES_MAX: usize = 64;

/// How long a caller that found a lock busy should wait. Writers hold a session's lock for
/// milliseconds, so one second is long enough to be free and short enough to wait for.
pub const LOCK_RETRY_AFTER_MS: u64 = 1000;
