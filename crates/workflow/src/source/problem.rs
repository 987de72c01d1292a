//! Problems of workflow files.

use std::fmt;

use piton_core::truncate;
use serde::Serialize;

use super::pointer::Pointer;
use crate::bounds::{PROBLEM_TEXT_BYTES_MAX, PROBLEMS_MAX};

piton_core::closed_set! {
    /// What kind of problem a workflow file has.
    pub enum ProblemCode {
        /// The file is not JSON, or is too large.
        NotJson => "not_json",
        /// A field occurs twice in one object.
        DuplicateField => "duplicate_field",
        /// A field must be there and is not.
        MissingField => "missing_field",
        /// A field is there that nobody knows.
        UnknownField => "unknown_field",
        /// Two fields are there of which one is allowed.
        ConflictingFields => "conflicting_fields",
        /// A file holds forms of two dialects.
        MixedDialects => "mixed_dialects",
        /// A value is of another type.
        WrongType => "wrong_type",
        /// A text or list is empty.
        Empty => "empty",
        /// A text is longer than allowed.
        TooLong => "too_long",
        /// A list is longer than allowed.
        TooMany => "too_many",
        /// A number is too small or too large.
        OutOfRange => "out_of_range",
        /// A text is not an id.
        InvalidId => "invalid_id",
        /// An id is used twice.
        DuplicateId => "duplicate_id",
        /// The namespace belongs to the workflows that come with Piton.
        ReservedNamespace => "reserved_namespace",
        /// A new workflow needs an id with a namespace.
        LegacyId => "legacy_id",
        /// A name is not in its closed set.
        UnknownName => "unknown_name",
        /// A name points at nothing.
        UnresolvedReference => "unresolved_reference",
        /// A schema stands in the file.
        InlineSchema => "inline_schema",
        /// A schema is to come from elsewhere.
        ExternalSchema => "external_schema",
        /// A prompt holds `{{ }}`.
        Interpolation => "interpolation",
        /// A text is referred to where none may be.
        MisplacedReference => "misplaced_reference",
        /// The texts that a step refers to are too large.
        OverBudget => "over_budget",
        /// A pattern that is not supported.
        UnsupportedPattern => "unsupported_pattern",
        /// A loop is not driven by a loop-control contract.
        LoopWithoutControl => "loop_without_control",
        /// Loops or rules lie too deeply inside each other.
        TooDeep => "too_deep",
        /// There are more problems than are shown.
        NotShown => "not_shown",
    }
}

/// One thing that is wrong with a workflow file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceProblem {
    /// Where, as a JSON pointer into the file.
    pub path: Pointer,
    /// What kind of problem it is.
    pub code: ProblemCode,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub fix: String,
}

impl fmt::Display for SourceProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, code, reason, fix } = self;
        if path.as_str().is_empty() {
            return write!(formatter, "the file: {reason} ({code}); {fix}");
        }
        write!(formatter, "`{path}`: {reason} ({code}); {fix}")
    }
}

/// The problems that were found so far.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<SourceProblem>);

impl Problems {
    pub(crate) fn report(
        &mut self,
        path: &Pointer,
        code: ProblemCode,
        reason: impl Into<String>,
        fix: impl Into<String>,
    ) {
        let bounded = |text: String| truncate(&text, PROBLEM_TEXT_BYTES_MAX).into_owned();
        let (reason, fix) = (bounded(reason.into()), bounded(fix.into()));
        self.0.push(SourceProblem { path: path.clone(), code, reason, fix });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if something at `outer` or inside it is wrong, so that its declarations are not fully known.
    pub(crate) fn any_within(&self, outer: &Pointer) -> bool {
        self.0.iter().any(|problem| problem.path.is_within(outer))
    }

    /// True if something is wrong inside a field of this name, wherever it is.
    pub(crate) fn any_in_field(&self, name: &str) -> bool {
        self.0.iter().any(|problem| problem.path.as_str().split('/').any(|part| part == name))
    }

    /// Returns the first problems by position, followed by the number of those that are left out.
    pub(crate) fn into_sorted(mut self) -> Vec<SourceProblem> {
        // By position, so that the order does not depend on which pass found what. Two passes may find the
        // same.
        self.0.sort();
        self.0.dedup();
        let left_out = self.0.len().saturating_sub(PROBLEMS_MAX);
        if left_out > 0 {
            self.0.truncate(PROBLEMS_MAX);
            let reason = format!("{left_out} further problems are not shown");
            let fix = "mend those that are shown, and compile again";
            self.report(&Pointer::root(), ProblemCode::NotShown, reason, fix);
        }
        self.0
    }
}
