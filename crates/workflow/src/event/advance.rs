//! `advance_recorded`: an agent tried to advance a run, with the outcome. Blockers are the report that an agent
//! receives when the run stops, which is also recorded.
//!
//! *Invariants*: 1 to 10 blockers in one order, whatever order they were found in. A text over its budget is
//! refused: an agent that reads half of what it must fix fixes half of it. A code is derived from a [`Reason`]
//! and from nothing else. Codes are declared in the order of their text, so that sorting by value and sorting
//! by text agree.

use piton_core::{AttemptId, BoundedText, NodeId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::payload::{BoundedList, BuiltinRef, PayloadError};
use super::strict_json::present;
use crate::bounds::{BLOCKER_MESSAGE_BYTES_MAX, BLOCKERS_MAX, SUGGESTED_FIX_BYTES_MAX};
use crate::capability::Capability;
use crate::loop_path::Iteration;
use crate::name::{ContextKey, LoopId, StepId};
use crate::reason::{CapabilityMissing, ContractViolation, Reason, Unexpected};
use crate::run::AttemptIntent;

/// An attempt on a node, with its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdvanceRecorded {
    /// The attempt; the same one has the same outcome for ever.
    pub attempt_id: AttemptId,
    /// What it tried.
    pub intent: AttemptIntent,
    /// The result.
    pub outcome: AdvanceOutcome,
}

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum AdvanceOutcome {
    /// The run stays where it is.
    Blocked {
        /// Why.
        blockers: BlockerReport,
    },
    /// The run went on.
    Advanced {
        /// The node that the run reached.
        to_node_id: NodeId,
    },
}

impl AdvanceOutcome {
    /// True if nothing but a person's word was missing.
    pub fn only_asks_person(&self) -> bool {
        let Self::Blocked { blockers } = self else { return false };
        blockers.blockers().iter().all(|blocker| blocker.code == BlockerCode::UserOnlyDependency)
    }
}

/// 1 to 10 blockers, sorted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "UncheckedReport")]
pub struct BlockerReport {
    blockers: BoundedList<Blocker, BLOCKERS_MAX>,
}

/// One thing that blocks.
// The order of the fields and variants is the order of the report: by the text of the code, by the text
// of the pointer's kind, by the pointer's fields.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Blocker {
    /// What kind of thing it is.
    pub code: BlockerCode,
    /// Where it is.
    pub pointer: Pointer,
    /// What is wrong.
    pub message: BoundedText<BLOCKER_MESSAGE_BYTES_MAX>,
    /// What to do about it.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub suggested_fix: Option<BoundedText<SUGGESTED_FIX_BYTES_MAX>>,
    /// The limit that was reached, if that is what blocks.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub details: Option<LimitDetails>,
}

/// Where a blocker is.
// Variants stand in the order of their names in JSON.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Pointer {
    /// A capability of the agent.
    Capability {
        /// Which.
        capability: Capability,
    },
    /// The size of the context. It is read and never written: a context that is too large is refused
    /// before anything is recorded.
    // The braces make serde refuse fields that do not belong here.
    ContextBudget {},
    /// A declared input of the workflow.
    ContextKey {
        /// Its key.
        key: ContextKey,
    },
    /// What an output must look like.
    OutputContract {
        /// The contract.
        contract_ref: BuiltinRef,
    },
    /// A step.
    WorkflowStep {
        /// Which.
        step_id: StepId,
    },
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UncheckedReport {
    blockers: BoundedList<Blocker, BLOCKERS_MAX>,
}

impl BlockerReport {
    /// Creates a report of `blockers`, which are sorted here.
    pub fn new(mut blockers: Vec<Blocker>) -> Result<Self, PayloadError> {
        // The same blockers give the same bytes, whatever order they were found in.
        blockers.sort();
        Ok(Self { blockers: BoundedList::new(blockers)? })
    }

    /// Returns the blockers, sorted.
    pub fn blockers(&self) -> &[Blocker] {
        self.blockers.as_slice()
    }
}

impl TryFrom<UncheckedReport> for BlockerReport {
    type Error = PayloadError;

    fn try_from(report: UncheckedReport) -> Result<Self, PayloadError> {
        // Sorting here would accept two texts for one report, so a report that is not sorted is refused.
        if !report.blockers.as_slice().is_sorted() {
            return Err(PayloadError::Unsorted);
        }
        Ok(Self { blockers: report.blockers })
    }
}

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

/// The limit that was reached.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum LimitDetails {
    /// A loop wants to go on and may not.
    LoopLimit {
        /// The loop.
        loop_id: LoopId,
        /// The turn it was in.
        #[schemars(with = "u32")]
        iteration: Iteration,
        /// How many turns it may have.
        max_iterations: u32,
    },
}
