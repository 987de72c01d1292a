//! Every limit of this crate, in one place.
//!
//! *Invariants*: a limit is part of a format or of a contract. Raising one is safe; lowering one makes existing data
//! unreadable.

/// Largest integer that a double holds exactly together with all smaller ones (2^53 − 1).
///
/// RFC 8785 numbers are doubles. Some readers would round a larger integer and others would not, so the same digest
/// would stand for different values.
pub const INTEGER_MAX: u64 = (1 << 53) - 1;

/// Maximum number of bytes shown of a refused number.
pub const NUMBER_SHOWN_BYTES_MAX: usize = 64;

/// Maximum nesting depth of arrays and objects in canonical JSON.
///
/// The encoder recurses, so some bound is needed. This one is the deepest nesting that `serde_json` reads with its
/// default recursion limit of 128, so that everything written can be read.
pub const DEPTH_MAX: usize = 127;

/// Maximum length of a dedupe key in bytes. Part of the event format.
pub const DEDUPE_KEY_BYTES_MAX: usize = 256;

/// Maximum length of a workflow id in bytes: it becomes part of file names, which are limited to 255 bytes.
pub const WORKFLOW_ID_BYTES_MAX: usize = 128;

/// Maximum length of a namespace in bytes. Together with [`PATTERN_BYTES_MAX`] it bounds one match to 65,536 byte
/// comparisons.
pub const NAMESPACE_BYTES_MAX: usize = 256;

/// Maximum length of a namespace pattern in bytes.
pub const PATTERN_BYTES_MAX: usize = 256;

/// Maximum size of the `details` of an error envelope, in bytes of canonical JSON. An agent reads them as part of its
/// context, so they must stay small.
pub const DETAILS_BYTES_MAX: usize = 4096;

/// Maximum length of the message or suggestion of an error envelope in bytes, for the same reason.
pub const ENVELOPE_TEXT_BYTES_MAX: usize = 2048;

/// Maximum number of bytes of foreign text that an error message quotes.
pub const EXCERPT_BYTES_MAX: usize = 64;

/// Time that a caller should wait after it found a lock busy. Writers hold the lock of a session for milliseconds, so
/// it is most likely free after one second, which is short enough to wait for.
pub const LOCK_RETRY_AFTER_MS: u64 = 1000;

/// Maximum number of similar names that a refusal offers.
pub const NEAREST_MAX: usize = 3;

/// Maximum length in bytes of a name that is compared with others. The cost is the product of both lengths.
pub const COMPARED_BYTES_MAX: usize = 128;
