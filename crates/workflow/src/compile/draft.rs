//! A compiled workflow while it is built: what both dialects collect, and the rules that they share.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::Definitions;
use super::function::{FunctionScope, Functions};
use super::sequence::{CompiledCondition, CompiledLoop, SequenceEntry};
use super::step::{Assessment, CompiledStep};
use super::warning::{CompiledWarning, WarningCode};
use super::workflow::{CompiledWorkflow, Metadata, SCHEMA_VERSION};
use crate::contract::ContractDefinition;
use crate::name::{ConditionId, LoopId, StepId};
use crate::source::{ContractRef, DeclaredId, Dialect, FeatureId, Function, Pointer, Problems};

/// The parts of a compiled workflow that are lowered so far.
pub(super) struct Draft<'a> {
    pub(super) dialect: Dialect,
    pub(super) definitions: &'a Definitions,
    pub(super) problems: &'a mut Problems,
    /// The texts that features add to prompts.
    pub(super) additions: Vec<(FeatureId, String)>,
    /// The assessments that steps may ask for.
    pub(super) assessments: &'a [(Pointer, Assessment)],
    /// The guidance that every prompt repeats.
    pub(super) meta_guidance: &'a [String],
    /// The text before the first prompt.
    pub(super) opening: String,
    /// The loops around the step that is being lowered, outermost first.
    pub(super) around: Vec<LoopId>,
    /// Number of these loops that waive the notes of their steps.
    pub(super) notes_waived: usize,
    pub(super) steps: Vec<CompiledStep>,
    pub(super) step_ids: BTreeSet<StepId>,
    pub(super) loops: BTreeMap<LoopId, CompiledLoop>,
    pub(super) loop_ids: BTreeSet<LoopId>,
    pub(super) conditions: BTreeMap<ConditionId, CompiledCondition>,
    pub(super) functions: Functions,
    pub(super) contracts: BTreeMap<ContractRef, ContractDefinition>,
    pub(super) warnings: BTreeSet<CompiledWarning>,
}

impl<'a> Draft<'a> {
    /// Creates a draft of a workflow that declares `functions`.
    pub(super) fn new(
        dialect: Dialect,
        definitions: &'a Definitions,
        problems: &'a mut Problems,
        functions: &[Function],
    ) -> Self {
        let mut declared = Functions::default();
        declared.declare(functions, &FunctionScope::Workflow, problems);
        Self {
            dialect,
            definitions,
            problems,
            additions: Vec::new(),
            assessments: &[],
            meta_guidance: &[],
            opening: String::new(),
            around: Vec::new(),
            notes_waived: 0,
            steps: Vec::new(),
            step_ids: BTreeSet::new(),
            loops: BTreeMap::new(),
            loop_ids: BTreeSet::new(),
            conditions: BTreeMap::new(),
            functions: declared,
            contracts: BTreeMap::new(),
            warnings: BTreeSet::new(),
        }
    }

    pub(super) fn warn(&mut self, code: WarningCode, subject: impl Into<String>) {
        self.warnings.insert(CompiledWarning { code, subject: subject.into() });
    }

    /// Returns the number of steps of a body, not counting nested loops, that decide about its loop.
    pub(super) fn decisions(&self, body: &[SequenceEntry]) -> usize {
        let decides = |entry: &&SequenceEntry| {
            let SequenceEntry::Step { step_id } = entry else {
                return false;
            };
            let step = self.steps.iter().find(|step| step.step_id == *step_id);
            step.is_some_and(CompiledStep::is_decision)
        };
        body.iter().filter(decides).count()
    }

    /// Returns the workflow, or `None` if it has no id. Fields that only one dialect has are left empty.
    pub(super) fn finish(
        mut self,
        id: Option<&DeclaredId>,
        sequence: Vec<SequenceEntry>,
    ) -> Option<CompiledWorkflow> {
        self.problems.check_steps(self.steps.len());
        let unused: Vec<_> = self.functions.unused().map(|name| name.as_str().to_owned()).collect();
        for name in unused {
            self.warn(WarningCode::UnusedFunction, name);
        }
        let id = id?;
        // An older id still compiles; the warning makes its author add a namespace.
        if let DeclaredId::Legacy { declared, .. } = id {
            self.warn(WarningCode::LegacyWorkflowId, declared.as_str());
        }
        // Everything without an order of its own is sorted by id, so the order in the file does not change the
        // hash.
        let assessments: BTreeMap<_, _> =
            self.assessments.iter().map(|(_, assessment)| (&assessment.id, assessment)).collect();
        Some(CompiledWorkflow {
            schema_version: SCHEMA_VERSION,
            dialect: self.dialect,
            workflow_id: id.workflow_id().clone(),
            name: None,
            description: None,
            agent_role: None,
            recommended_autonomy: None,
            recommended_risk_policy: None,
            capabilities: BTreeMap::new(),
            features: Vec::new(),
            contracts: self.contracts.into_values().collect(),
            steps: self.steps,
            sequence,
            conditions: self.conditions.into_values().collect(),
            loops: self.loops.into_values().collect(),
            functions: self.functions.into_definitions(),
            compiled_warnings: self.warnings.into_iter().collect(),
            metadata: Metadata::default(),
            opening: self.opening,
            assessments: assessments.into_values().cloned().collect(),
        })
    }
}
