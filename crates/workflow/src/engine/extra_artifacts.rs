//! Artifacts that are recorded as events no matter what a step asks for: capability observations and divergences.
//!
//! *Invariants*: one that breaks its contract is reported, so that nothing invalid is recorded and nothing valid is
//! taken for a mistake. The contract of the step itself is judged elsewhere.

use serde_json::Value;

use super::finding::Finding;
use super::report;
use crate::compile::CompiledStep;
use crate::contract::{Breach, ContractPack};

/// The contracts of such artifacts.
pub(super) const SIDES: [ContractPack; 2] =
    [ContractPack::CapabilityObservation, ContractPack::Divergence];

/// Finds what is wrong with such artifacts among those submitted for `step`: the first breach of each kind.
pub(super) fn judge_sides(step: &CompiledStep, artifacts: &[Value]) -> Vec<Finding> {
    let own = step.output_contract.as_ref().map(|contract| contract.contract_ref.as_str());
    let first_wrong = |pack: &ContractPack| {
        let is_own = own == Some(pack.as_str());
        let described = artifacts.iter().enumerate().filter(|(_, one)| pack.describes(one));
        // The first artifact of the step's own kind is covered by the contract of the step.
        let mut others = described.skip(usize::from(is_own)).peekable();
        // Most outputs have no such artifact, so the definition is built only if there is something to check.
        others.peek()?;
        let contract = pack.definition();
        let breach = others.find_map(|(index, one)| {
            let violations = contract.violations(one);
            (!violations.is_empty()).then_some(Breach::Invalid { index, violations })
        })?;
        Some(report::side(&contract, &breach))
    };
    SIDES.iter().filter_map(first_wrong).collect()
}
