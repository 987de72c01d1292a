//! Reasons that a run cannot simply continue: one set, for stopping a run and for recording.
//!
//! *Invariants*: a reason is a category and a detail of that category; a detail of another category neither
//! builds nor parses. The autonomy of a run decides whether it stops for a reason, never what the reason
//! means.
//!
//! ```
//! use piton_workflow::{ContractViolation, Reason};
//! let reason = Reason::ContractViolation(ContractViolation::MissingRequiredOutput);
//! assert_eq!(reason.to_string(), "contract_violation:missing_required_output");
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_workflow::{Reason, Unexpected};
//! let _ = Reason::ContractViolation(Unexpected::InvariantViolation);
//! ```

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

piton_core::closed_set! {
    /// What kind of thing is missing or wrong.
    pub enum ReasonCategory {
        /// Only a person can supply it.
        UserOnlyDependency => "user_only_dependency",
        /// An output is not what the step promised.
        ContractViolation => "contract_violation",
        /// The agent cannot do something that the workflow needs.
        CapabilityMissing => "capability_missing",
        /// Something happened that must not happen.
        Unexpected => "unexpected",
    }
}

piton_core::closed_set! {
    /// What only a person can supply.
    pub enum UserOnlyDependency {
        /// A secret, such as a password or an API key.
        SecretOrToken => "needs_user_secret_or_token",
        /// Access to an account.
        AccountAccess => "needs_user_account_access",
        /// A file or document that only they have.
        Artifact => "needs_user_artifact",
        /// A choice that the workflow marks as theirs: see [`NonAssumableChoice`].
        Choice => "needs_user_choice",
        /// Their consent.
        Approval => "needs_user_approval",
        /// Something to be done on their machine.
        EnvironmentAction => "needs_user_environment_action",
    }
}

piton_core::closed_set! {
    /// Why an author marks a choice as one that no agent may make by assumption.
    pub enum NonAssumableChoice {
        /// It weighs one liking against another.
        PreferenceTradeoff => "preference_tradeoff",
        /// It decides what belongs to the work.
        ScopeBoundary => "scope_boundary",
        /// It cannot be taken back.
        IrreversibleAction => "irreversible_action",
        /// It is felt outside of the project.
        ExternalSideEffect => "external_side_effect",
        /// A policy or a law has a say in it.
        PolicyOrCompliance => "policy_or_compliance",
    }
}

piton_core::closed_set! {
    /// How an output breaks its contract.
    pub enum ContractViolation {
        /// It is not there.
        MissingRequiredOutput => "missing_required_output",
        /// It is there and not valid.
        InvalidRequiredOutput => "invalid_required_output",
    }
}

piton_core::closed_set! {
    /// What is known about a capability that is needed.
    pub enum CapabilityMissing {
        /// The agent does not have it.
        RequiredCapabilityUnavailable => "required_capability_unavailable",
        /// Nobody found out whether the agent has it.
        RequiredCapabilityUnknown => "required_capability_unknown",
    }
}

piton_core::closed_set! {
    /// What must not happen, and did.
    pub enum Unexpected {
        /// The recorded facts contradict a rule of the engine.
        InvariantViolation => "invariant_violation",
        /// The stored data is damaged.
        StorageCorruptionDetected => "storage_corruption_detected",
    }
}

/// Why a run cannot simply go on. In JSON `{"category": …, "detail": …}`, in text `category:detail`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(tag = "category", content = "detail", rename_all = "snake_case", deny_unknown_fields)]
pub enum Reason {
    /// Only a person can supply what is missing.
    UserOnlyDependency(UserOnlyDependency),
    /// An output is not what the step promised.
    ContractViolation(ContractViolation),
    /// The agent cannot do something that the workflow needs.
    CapabilityMissing(CapabilityMissing),
    /// Something happened that must not happen.
    Unexpected(Unexpected),
}

impl Reason {
    /// Returns the category.
    pub const fn category(self) -> ReasonCategory {
        match self {
            Self::UserOnlyDependency(_) => ReasonCategory::UserOnlyDependency,
            Self::ContractViolation(_) => ReasonCategory::ContractViolation,
            Self::CapabilityMissing(_) => ReasonCategory::CapabilityMissing,
            Self::Unexpected(_) => ReasonCategory::Unexpected,
        }
    }

    /// Returns the name of the detail within its category.
    pub const fn detail(self) -> &'static str {
        match self {
            Self::UserOnlyDependency(detail) => detail.as_str(),
            Self::ContractViolation(detail) => detail.as_str(),
            Self::CapabilityMissing(detail) => detail.as_str(),
            Self::Unexpected(detail) => detail.as_str(),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.category(), self.detail())
    }
}
