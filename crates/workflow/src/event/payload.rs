//! What the payloads of several kinds share: short lists that are never empty, names of things that come with the
//! program, and the reasons that something cannot be a payload.
//!
//! *Limitations*: a [`BuiltinRef`] is looser than [`ContractRef`] and [`TemplateId`], which are limited to what this
//! version has. An event stays readable whichever version named the thing.

use piton_core::{CanonicalError, TextTooLong};
use serde::{Deserialize, Serialize};

use super::graph::{EdgeCause, EdgeKind};
use super::output::OutputChannel;
use super::preferences::PreferenceKey;
use crate::bounds::{CONTEXT_BYTES_MAX, NAME_BYTES_MAX, TRACE_BYTES_MAX};
use crate::capability::{CapabilityStatus, EnforcementGrade};
use crate::source::{ContractRef, TemplateId};

/// A list of 1 to `MAX` items. Where an empty list would be allowed, the field is optional and left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<T>", bound(deserialize = "T: Deserialize<'de>"))]
pub struct BoundedList<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> BoundedList<T, MAX> {
    /// Creates a list, unless there are no items or too many.
    pub fn new(items: Vec<T>) -> Result<Self, PayloadError> {
        if items.is_empty() || items.len() > MAX {
            return Err(PayloadError::Count { found: items.len(), max: MAX });
        }
        Ok(Self(items))
    }

    /// Creates a list, or `None` if there are no items; an error if there are too many.
    pub fn optional(items: Vec<T>) -> Result<Option<Self>, PayloadError> {
        if items.is_empty() { Ok(None) } else { Self::new(items).map(Some) }
    }

    /// Returns the items.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }
}

impl<T, const MAX: usize> TryFrom<Vec<T>> for BoundedList<T, MAX> {
    type Error = PayloadError;

    fn try_from(items: Vec<T>) -> Result<Self, PayloadError> {
        Self::new(items)
    }
}

impl<T: schemars::JsonSchema, const MAX: usize> schemars::JsonSchema for BoundedList<T, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("BoundedList{MAX}{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "array",
            "items": generator.subschema_for::<T>(),
            "minItems": 1,
            "maxItems": MAX,
        })
    }
}

piton_core::checked_text! {
    /// The name of a built-in, such as `wr.contracts.loop_control`: at least two parts of `a-z`, `0-9`, `_` and
    /// `-`, joined by dots, of at most 128 bytes.
    pub struct BuiltinRef: PayloadError, "a reference such as `wr.contracts.loop_control`",
    r"^[a-z0-9_-]+(\.[a-z0-9_-]+)+$", NAME_BYTES_MAX,
    |text| is_builtin(text).then_some(()).ok_or(PayloadError::BuiltinRef)
}

fn is_builtin(text: &str) -> bool {
    let allowed = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    let part = |part: &str| !part.is_empty() && part.bytes().all(allowed);
    text.len() <= NAME_BYTES_MAX && text.contains('.') && text.split('.').all(part)
}

impl From<&ContractRef> for BuiltinRef {
    fn from(named: &ContractRef) -> Self {
        Self(named.as_str().into())
    }
}

impl From<&TemplateId> for BuiltinRef {
    fn from(named: &TemplateId) -> Self {
        Self(named.as_str().into())
    }
}

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
