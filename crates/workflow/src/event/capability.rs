//! `capability_observed`: a capability of the agent was probed, used or claimed.
//!
//! *Invariants*: a failure has a code and a success has none. The status agrees with the observation: what
//! worked is available, what failed is not, and what was claimed is as claimed. The weight of an observation
//! follows from its provenance; it is stored for readers and checked.

use piton_core::ObservationId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::payload::{BuiltinRef, PayloadError};
use super::strict_json::present;
use crate::capability::{
    AttemptContext, Capability, CapabilityStatus, Claim, ClaimedBy, EnforcementGrade, FailureCode,
    ProbeResult, ProvenanceKind,
};
use crate::name::StepId;

/// A capability was probed, used or claimed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", try_from = "UncheckedCapability")]
pub struct CapabilityObserved {
    cap_obs_id: ObservationId,
    capability: Capability,
    status: CapabilityStatus,
    provenance: CapabilityProvenance,
}

/// Where an observation came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "CapabilityWire", into = "CapabilityWire")]
pub enum CapabilityProvenance {
    /// A step whose purpose was to find out.
    ProbeStep {
        /// The template that the step was made from.
        probe_template_id: BuiltinRef,
        /// The step.
        probe_step_id: StepId,
        /// The result.
        result: ProbeResult,
    },
    /// The capability was used, or its use was tried.
    AttemptedUse {
        /// On what occasion.
        attempt_context: AttemptContext,
        /// The result.
        result: UseResult,
    },
    /// Somebody said so.
    ManualClaim {
        /// Who.
        claimed_by: ClaimedBy,
        /// What they said.
        claim: Claim,
    },
}

/// The result of using a capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseResult {
    Success,
    Failure(FailureCode),
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UncheckedCapability {
    cap_obs_id: ObservationId,
    capability: Capability,
    status: CapabilityStatus,
    provenance: CapabilityProvenance,
}

/// A provenance as JSON writes it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
enum CapabilityWire {
    ProbeStep { enforcement_grade: EnforcementGrade, detail: ProbeStepDetail },
    AttemptedUse { enforcement_grade: EnforcementGrade, detail: AttemptedUseDetail },
    ManualClaim { enforcement_grade: EnforcementGrade, detail: ManualClaimDetail },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ProbeStepDetail {
    probe_template_id: BuiltinRef,
    probe_step_id: StepId,
    result: ProbeResult,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AttemptedUseDetail {
    attempt_context: AttemptContext,
    result: ProbeResult,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    failure_code: Option<FailureCode>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ManualClaimDetail {
    claimed_by: ClaimedBy,
    claim: Claim,
}

impl CapabilityObserved {
    /// Creates an observation, unless its status contradicts its provenance.
    pub fn new(
        observation: ObservationId,
        capability: Capability,
        status: CapabilityStatus,
        provenance: CapabilityProvenance,
    ) -> Result<Self, PayloadError> {
        if !provenance.supports(status) {
            return Err(PayloadError::Status { status });
        }
        Ok(Self { cap_obs_id: observation, capability, status, provenance })
    }

    /// Returns the id of the observation.
    pub const fn observation(&self) -> ObservationId {
        self.cap_obs_id
    }

    /// Returns the capability.
    pub const fn capability(&self) -> Capability {
        self.capability
    }

    /// Returns the status: whether the agent has the capability.
    pub const fn status(&self) -> CapabilityStatus {
        self.status
    }

    /// Returns the source of the observation.
    pub const fn provenance(&self) -> &CapabilityProvenance {
        &self.provenance
    }
}

impl CapabilityProvenance {
    /// Returns the kind of provenance.
    pub const fn kind(&self) -> ProvenanceKind {
        match self {
            Self::ProbeStep { .. } => ProvenanceKind::ProbeStep,
            Self::AttemptedUse { .. } => ProvenanceKind::AttemptedUse,
            Self::ManualClaim { .. } => ProvenanceKind::ManualClaim,
        }
    }

    /// Returns the weight of an observation with this provenance.
    pub const fn grade(&self) -> EnforcementGrade {
        self.kind().grade()
    }

    /// True if the provenance supports `status`. A failure leaves open whether the capability is missing or
    /// was out of order.
    fn supports(&self, status: CapabilityStatus) -> bool {
        let available = matches!(status, CapabilityStatus::Available);
        match self {
            Self::ProbeStep { result, .. } => available == (*result == ProbeResult::Success),
            Self::AttemptedUse { result, .. } => available == (*result == UseResult::Success),
            Self::ManualClaim { claim: Claim::Available, .. } => available,
            Self::ManualClaim { claim: Claim::Unavailable, .. } => {
                status == CapabilityStatus::Unavailable
            }
        }
    }
}

impl TryFrom<UncheckedCapability> for CapabilityObserved {
    type Error = PayloadError;

    fn try_from(unchecked: UncheckedCapability) -> Result<Self, PayloadError> {
        let UncheckedCapability { cap_obs_id, capability, status, provenance } = unchecked;
        Self::new(cap_obs_id, capability, status, provenance)
    }
}

impl TryFrom<CapabilityWire> for CapabilityProvenance {
    type Error = PayloadError;

    fn try_from(wire: CapabilityWire) -> Result<Self, PayloadError> {
        let (stored, provenance) = match wire {
            CapabilityWire::ProbeStep { enforcement_grade, detail } => {
                let ProbeStepDetail { probe_template_id, probe_step_id, result } = detail;
                (enforcement_grade, Self::ProbeStep { probe_template_id, probe_step_id, result })
            }
            CapabilityWire::AttemptedUse { enforcement_grade, detail } => {
                // The types allow a code next to a success, which the wire format must refuse: `UseResult`
                // could not represent it.
                let result = match (detail.result, detail.failure_code) {
                    (ProbeResult::Success, None) => UseResult::Success,
                    (ProbeResult::Failure, Some(code)) => UseResult::Failure(code),
                    _ => return Err(PayloadError::FailureCode),
                };
                let attempt_context = detail.attempt_context;
                (enforcement_grade, Self::AttemptedUse { attempt_context, result })
            }
            CapabilityWire::ManualClaim { enforcement_grade, detail } => {
                let ManualClaimDetail { claimed_by, claim } = detail;
                (enforcement_grade, Self::ManualClaim { claimed_by, claim })
            }
        };
        // The grade is redundant. A stored one that differs would mislead those who read the file without
        // this program.
        let derived = provenance.grade();
        if stored == derived {
            Ok(provenance)
        } else {
            Err(PayloadError::Grade { stored, derived })
        }
    }
}

impl From<CapabilityProvenance> for CapabilityWire {
    fn from(provenance: CapabilityProvenance) -> Self {
        let enforcement_grade = provenance.grade();
        match provenance {
            CapabilityProvenance::ProbeStep { probe_template_id, probe_step_id, result } => {
                let detail = ProbeStepDetail { probe_template_id, probe_step_id, result };
                Self::ProbeStep { enforcement_grade, detail }
            }
            CapabilityProvenance::AttemptedUse { attempt_context, result } => {
                let (result, failure_code) = match result {
                    UseResult::Success => (ProbeResult::Success, None),
                    UseResult::Failure(code) => (ProbeResult::Failure, Some(code)),
                };
                let detail = AttemptedUseDetail { attempt_context, result, failure_code };
                Self::AttemptedUse { enforcement_grade, detail }
            }
            CapabilityProvenance::ManualClaim { claimed_by, claim } => {
                let detail = ManualClaimDetail { claimed_by, claim };
                Self::ManualClaim { enforcement_grade, detail }
            }
        }
    }
}
