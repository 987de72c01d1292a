//! Why something cannot be the payload of an event.

use piton_core::{CanonicalError, TextTooLong};

use super::preferences::PreferenceKey;
use crate::bounds::{CONTEXT_BYTES_MAX, TRACE_BYTES_MAX};
use crate::capability::{CapabilityStatus, EnforcementGrade};
use crate::output::OutputChannel;
use crate::topology::{EdgeCause, EdgeKind};

/// Why something cannot be the payload of an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// A text is longer than its budget.
    #[error(transparent)]
    TooLong(#[from] TextTooLong),
    /// A text is empty that says something.
    #[error("the summary is empty")]
    EmptySummary,
    /// A list has too few or too many items.
    #[error("the list has {found} items, 1 to {max} are allowed")]
    Count {
        /// How many it has.
        found: usize,
        /// How many it may have.
        max: usize,
    },
    /// Blockers are not in the order in which they are stored.
    #[error("the blockers are not sorted by code and pointer")]
    Unsorted,
    /// One preference is changed twice.
    #[error("`{key}` is changed twice in one delta")]
    RepeatedPreference {
        /// The preference.
        key: PreferenceKey,
    },
    /// A preference is changed to something else than what it is afterwards.
    #[error("the delta changes `{key}` to another value than the effective one")]
    EffectivePreference {
        /// The preference.
        key: PreferenceKey,
    },
    /// An observation of a capability counts differently than its provenance says.
    #[error("an observation with this provenance is {derived}, not {stored}")]
    Grade {
        /// What was stored.
        stored: EnforcementGrade,
        /// What follows from the provenance.
        derived: EnforcementGrade,
    },
    /// The status of a capability contradicts what was seen or claimed.
    #[error("the provenance does not support the status `{status}`")]
    Status {
        /// The status.
        status: CapabilityStatus,
    },
    /// A failure without a code, or a success with one.
    #[error("`failureCode` is there exactly when the result is `failure`")]
    FailureCode,
    /// An edge of this kind does not come about in this way.
    #[error("an edge of kind `{kind}` has no cause `{cause}`")]
    EdgeCause {
        /// The kind of edge.
        kind: EdgeKind,
        /// The cause.
        cause: EdgeCause,
    },
    /// An output is on the channel of another kind of payload.
    #[error("this payload belongs on the channel `{expected}`")]
    Channel {
        /// The channel of the payload.
        expected: OutputChannel,
    },
    /// A commit is not written as git writes it.
    #[error("a commit is 40 lowercase hex digits")]
    GitSha1,
    /// A content type has no proper form.
    #[error("a content type has the form `type/subtype`, in lowercase")]
    ContentType,
    /// A reference to something built in has no proper form.
    #[error("a built-in is named like `wr.contracts.loop_control`")]
    BuiltinRef,
    /// A decision trace is larger than its budget.
    #[error(
        "the trace has {measured_bytes} bytes of canonical JSON, {TRACE_BYTES_MAX} are allowed"
    )]
    TraceTooLarge {
        /// Its size.
        measured_bytes: usize,
    },
    /// A context is larger than its budget.
    #[error(
        "the context has {measured_bytes} bytes of canonical JSON, {CONTEXT_BYTES_MAX} are allowed"
    )]
    ContextTooLarge {
        /// Its size.
        measured_bytes: usize,
    },
    /// A context holds a key that would change how some programs read it.
    #[error("the context holds the reserved key `{key}`")]
    ReservedKey {
        /// The key.
        key: &'static str,
    },
    /// A context has no canonical form.
    #[error("the context has no canonical form: {0}")]
    NotCanonical(#[from] CanonicalError),
}
