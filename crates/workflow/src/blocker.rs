//! Blockers: the report that an agent receives when a run stops.
//!
//! *Invariants*: a code is derived from a [`Reason`] and from nothing else. Codes are declared in the order
//! of their text, so that sorting by value and sorting by text agree.

use crate::reason::{CapabilityMissing, ContractViolation, Reason, Unexpected};

piton_core::closed_set! {
    /// What a run is stopped by.
    pub enum BlockerCode {
        /// A required output is there and not valid.
        InvalidRequiredOutput => "INVALID_REQUIRED_OUTPUT",
        /// The recorded facts contradict a rule of the engine.
        InvariantViolation => "INVARIANT_VIOLATION",
        /// A required output is not there.
        MissingRequiredOutput => "MISSING_REQUIRED_OUTPUT",
        /// The agent lacks a required capability.
        RequiredCapabilityUnavailable => "REQUIRED_CAPABILITY_UNAVAILABLE",
        /// Nobody found out whether the agent has a required capability.
        RequiredCapabilityUnknown => "REQUIRED_CAPABILITY_UNKNOWN",
        /// The stored data is damaged.
        StorageCorruptionDetected => "STORAGE_CORRUPTION_DETECTED",
        /// Only a person can supply what is missing.
        UserOnlyDependency => "USER_ONLY_DEPENDENCY",
    }
}

impl From<Reason> for BlockerCode {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::UserOnlyDependency(_) => Self::UserOnlyDependency,
            Reason::ContractViolation(ContractViolation::MissingRequiredOutput) => {
                Self::MissingRequiredOutput
            }
            Reason::ContractViolation(ContractViolation::InvalidRequiredOutput) => {
                Self::InvalidRequiredOutput
            }
            Reason::CapabilityMissing(CapabilityMissing::RequiredCapabilityUnavailable) => {
                Self::RequiredCapabilityUnavailable
            }
            Reason::CapabilityMissing(CapabilityMissing::RequiredCapabilityUnknown) => {
                Self::RequiredCapabilityUnknown
            }
            Reason::Unexpected(Unexpected::InvariantViolation) => Self::InvariantViolation,
            Reason::Unexpected(Unexpected::StorageCorruptionDetected) => {
                Self::StorageCorruptionDetected
            }
        }
    }
}
