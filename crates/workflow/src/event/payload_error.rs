//! Reasons that something cannot be the payload of an event.

use piton_core::{CanonicalError, TextTooLong};

use super::graph::{EdgeCause, EdgeKind};
use super::output::OutputChannel;
use super::preferences::PreferenceKey;
use crate::bounds::{CONTEXT_BYTES_MAX, TRACE_BYTES_MAX};
use crate::capability::{CapabilityStatus, EnforcementGrade};

/// Reason that something cannot be the payload of an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// A text exceeds its budget.
    #[error(transparent)]
    TooLong(#[from] TextTooLong),
    #[error("the summary is empty")]
    EmptySummary,
    /// A list has too few or too many items.
    #[error("the list has {found} items, 1 to {max} are allowed")]
    Count { found: usize, max: usize },
    /// The blockers are not in the order that they are stored in.
    #[error("the blockers are not sorted by code and pointer")]
    Unsorted,
    /// A delta changes one preference twice.
    #[error("`{key}` is changed twice in one delta")]
    RepeatedPreference { key: PreferenceKey },
    /// A preference is changed to another value than the effective one.
    #[error("the delta changes `{key}` to another value than the effective one")]
    EffectivePreference { key: PreferenceKey },
    /// The grade of an observation does not follow from its provenance.
    #[error("an observation with this provenance is {derived}, not {stored}")]
    Grade {
        stored: EnforcementGrade,
        /// The grade that follows from the provenance.
        derived: EnforcementGrade,
    },
    /// The status of a capability contradicts what was observed or claimed.
    #[error("the provenance does not support the status `{status}`")]
    Status { status: CapabilityStatus },
    /// A failure without a code, or a success with one.
    #[error("`failureCode` is there exactly when the result is `failure`")]
    FailureCode,
    /// An edge of this kind cannot have this cause.
    #[error("an edge of kind `{kind}` has no cause `{cause}`")]
    EdgeCause { kind: EdgeKind, cause: EdgeCause },
    /// An output is on the channel of another kind of payload.
    #[error("this payload belongs on the channel `{expected}`")]
    Channel {
        /// The channel of the payload.
        expected: OutputChannel,
    },
    /// A commit is not written as git writes it.
    #[error("a commit is 40 lowercase hex digits")]
    GitSha1,
    /// A content type is malformed.
    #[error("a content type has the form `type/subtype`, in lowercase")]
    ContentType,
    /// A reference to a built-in is malformed.
    #[error("a built-in is named like `wr.contracts.loop_control`")]
    BuiltinRef,
    /// A decision trace exceeds its budget.
    #[error(
        "the trace has {measured_bytes} bytes of canonical JSON, {TRACE_BYTES_MAX} are allowed"
    )]
    TraceTooLarge { measured_bytes: usize },
    /// A context exceeds its budget.
    #[error(
        "the context has {measured_bytes} bytes of canonical JSON, {CONTEXT_BYTES_MAX} are allowed"
    )]
    ContextTooLarge { measured_bytes: usize },
    /// A context holds a key that would change how some programs read it.
    #[error("the context holds the reserved key `{key}`")]
    ReservedKey { key: &'static str },
    #[error("the context has no canonical form: {0}")]
    NotCanonical(#[from] CanonicalError),
}
