//! The reasons for which an attempt was blocked, reported to the agent and kept.
//!
//! *Invariants*: 1 to 10 blockers in one order, whatever order they were found in. A text over its budget is
//! refused: an agent that reads half of what it must fix fixes half of it.

use piton_core::BoundedText;
use serde::{Deserialize, Serialize};

use super::builtin_ref::BuiltinRef;
use super::few::Few;
use super::field::present;
use super::limit::LimitDetails;
use super::payload_error::PayloadError;
use crate::blocker::BlockerCode;
use crate::bounds::{BLOCKER_MESSAGE_BYTES_MAX, BLOCKERS_MAX, SUGGESTED_FIX_BYTES_MAX};
use crate::capability::Capability;
use crate::name::{ContextKey, StepId};

/// 1 to 10 blockers, sorted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "UncheckedReport")]
pub struct BlockerReport {
    blockers: Few<Blocker, BLOCKERS_MAX>,
}

/// One thing that blocks.
// The order of the fields and variants is the order of the report: by the text of the code, by the text
// of the pointer's kind, by the pointer's fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct UncheckedReport {
    blockers: Few<Blocker, BLOCKERS_MAX>,
}

impl BlockerReport {
    /// Creates a report of `blockers`, which are sorted here.
    pub fn new(mut blockers: Vec<Blocker>) -> Result<Self, PayloadError> {
        // The same blockers give the same bytes, whatever order they were found in.
        blockers.sort();
        Ok(Self { blockers: Few::new(blockers)? })
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
