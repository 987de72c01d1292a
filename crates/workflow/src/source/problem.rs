//! Problems of workflow files, and their positions: JSON pointers (RFC 6901).

use std::fmt;
use std::fmt::Display;

use piton_core::truncate;
use schemars::JsonSchema;
use serde::Serialize;

use super::builtin_id::ContractRef;
use crate::bounds::{LOOP_DEPTH_MAX, PROBLEM_TEXT_BYTES_MAX, PROBLEMS_MAX, RULES_MAX, STEPS_MAX};

/// The form of names of functions and variables.
pub(crate) const NAME_FORM: &str = "use letters, digits and `_`, and no digit first";

/// The advice for a file with a schema.
pub(crate) const CONTRACT_INSTEAD: &str =
    "use `outputContract` with one of the contracts that Piton brings along";

/// The advice for a file that is too large.
pub(crate) const SPLIT: &str = "split it into several workflows";

/// The advice for an empty list.
pub(crate) const FILL_OR_REMOVE: &str = "add one, or remove the list";

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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
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
            let fix = "fix those that are shown, and compile again";
            self.report(&Pointer::root(), ProblemCode::NotShown, reason, fix);
        }
        self.0
    }

    /// Reports that two things of a kind have the same id.
    pub(crate) fn report_twice(&mut self, at: &Pointer, kind: &str, id: &dyn Display) {
        let reason = format!("the {kind} id `{id}` is used twice");
        let fix = format!("give each {kind} an id of its own");
        self.report(at, ProblemCode::DuplicateId, reason, fix);
    }

    /// Reports a reference to a contract that does not exist.
    pub(crate) fn report_no_contract<'a>(
        &mut self,
        at: &Pointer,
        named: &ContractRef,
        known: impl Iterator<Item = &'a ContractRef>,
    ) {
        let known: Vec<_> = known.map(ContractRef::as_str).collect();
        let fix = format!("use one of: {}", known.join(", "));
        let reason = format!("there is no contract `{named}`");
        self.report(at, ProblemCode::UnresolvedReference, reason, fix);
    }

    /// Reports that not exactly one step of a loop decides about it.
    pub(crate) fn report_decisions(&mut self, at: &Pointer, decisions: usize) {
        let reason = format!("{decisions} steps of the body decide whether the loop goes on");
        let fix = "give exactly one step of the body the contract `wr.contracts.loop_control`";
        self.report(at, ProblemCode::LoopWithoutControl, reason, fix);
    }

    /// Reports if there are more steps than a workflow may have.
    pub(crate) fn check_steps(&mut self, count: usize) {
        if count > STEPS_MAX {
            let reason = format!("the workflow has {count} steps, {STEPS_MAX} are allowed");
            self.report(&Pointer::root().field("steps"), ProblemCode::TooMany, reason, SPLIT);
        }
    }

    /// Returns true if the loop at `at`, which is in `/steps/…/body/…/body/…`, is not nested too deeply.
    /// Reports it otherwise.
    pub(crate) fn check_loop_depth(&mut self, at: &Pointer) -> bool {
        // The pointer contains one `/body/` for each loop around this one, so no depth has to be passed
        // along.
        let around = at.as_str().matches("/body/").count();
        if around >= LOOP_DEPTH_MAX {
            self.report_loop_depth(at);
        }
        around < LOOP_DEPTH_MAX
    }

    /// Reports a loop that is nested too deeply.
    pub(crate) fn report_loop_depth(&mut self, at: &Pointer) {
        let reason = format!("loops lie deeper than {LOOP_DEPTH_MAX} inside each other");
        let fix = "move the innermost loop to a workflow of its own";
        self.report(at, ProblemCode::TooDeep, reason, fix);
    }

    /// Reports a list of rules that is empty or too long.
    pub(crate) fn check_rules(&mut self, at: &Pointer, count: usize) {
        if count == 0 {
            self.report(at, ProblemCode::Empty, "there is no rule", FILL_OR_REMOVE);
        }
        if count > RULES_MAX {
            let reason = format!("there are {count} rules, {RULES_MAX} are allowed");
            self.report(at, ProblemCode::TooMany, reason, "remove some of them");
        }
    }

    /// Reports a step of a type that the dialect does not have.
    pub(crate) fn report_step_type(&mut self, at: &Pointer, found: &str, fix: &'static str) {
        let reason = format!("`{found}` is not a type of step");
        self.report(at, ProblemCode::UnknownName, reason, fix);
    }
}

/// A JSON pointer, such as `/steps/3/title`. The whole text is the empty pointer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Pointer(String);

impl Pointer {
    /// Returns the pointer to the whole text.
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// Returns the pointer to the field `name` of the object here.
    #[must_use]
    pub fn field(&self, name: &str) -> Self {
        Self(format!("{}/{}", self.0, name.replace('~', "~0").replace('/', "~1")))
    }

    /// Returns the pointer to the item at `index` of the array here.
    #[must_use]
    pub fn item(&self, index: usize) -> Self {
        Self(format!("{}/{index}", self.0))
    }

    /// Returns the pointer as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if this is `outer` or inside it.
    pub fn is_within(&self, outer: &Self) -> bool {
        // The separator keeps `/steps/1` from containing `/steps/10`.
        self.0.strip_prefix(&outer.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}
