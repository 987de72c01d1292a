//! Abilities of an agent beyond talking, and the evidence for them.
//!
//! *Invariants*: the weight of an observation follows from its provenance. A mere statement of an agent or a
//! person is weak, and never opens a path that needs the capability.

piton_core::closed_set! {
    /// An ability that a workflow may need.
    pub enum Capability {
        /// Handing work to other agents.
        Delegation => "delegation",
        /// Reading the web.
        WebBrowsing => "web_browsing",
    }
}

piton_core::closed_set! {
    /// Whether an agent has a capability.
    pub enum CapabilityStatus {
        /// Nobody found out.
        Unknown => "unknown",
        /// It has.
        Available => "available",
        /// It has not.
        Unavailable => "unavailable",
    }
}

piton_core::closed_set! {
    /// Where an observation of a capability came from.
    pub enum ProvenanceKind {
        /// A step whose purpose was to find out.
        ProbeStep => "probe_step",
        /// The capability was used, or its use was tried.
        AttemptedUse => "attempted_use",
        /// Somebody said so.
        ManualClaim => "manual_claim",
    }
}

piton_core::closed_set! {
    /// How much an observation counts.
    pub enum EnforcementGrade {
        /// It decides whether a step that needs the capability may go on.
        Strong => "strong",
        /// It is shown to people and decides nothing.
        Weak => "weak",
    }
}

impl ProvenanceKind {
    /// Returns the weight of an observation with this provenance.
    pub const fn grade(self) -> EnforcementGrade {
        match self {
            Self::ProbeStep | Self::AttemptedUse => EnforcementGrade::Strong,
            Self::ManualClaim => EnforcementGrade::Weak,
        }
    }
}

piton_core::closed_set! {
    /// The result of a probe or of a use.
    pub enum ProbeResult {
        /// It worked.
        Success => "success",
        /// It did not.
        Failure => "failure",
    }
}

piton_core::closed_set! {
    /// Why a use of a capability failed.
    pub enum FailureCode {
        /// There is no tool for it.
        ToolMissing => "tool_missing",
        /// The tool reported an error.
        ToolError => "tool_error",
        /// A policy forbids it.
        PolicyBlocked => "policy_blocked",
        /// The agent could not tell.
        Unknown => "unknown",
    }
}

piton_core::closed_set! {
    /// On what occasion a capability was used.
    pub enum AttemptContext {
        /// While a step was done.
        WorkflowStep => "workflow_step",
        /// While Piton tried it out.
        SystemProbe => "system_probe",
    }
}

piton_core::closed_set! {
    /// Who claims something about a capability.
    pub enum ClaimedBy {
        /// The agent.
        Agent => "agent",
        /// A person.
        User => "user",
    }
}

piton_core::closed_set! {
    /// What is claimed about a capability.
    pub enum Claim {
        /// The agent has it.
        Available => "available",
        /// The agent does not have it.
        Unavailable => "unavailable",
    }
}
