//! The top level of a file in the strict dialect, and its declarations for steps.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::step::StrictStep;
use super::{Description, Title};
use crate::bounds::{DECLARATIONS_MAX, STEPS_MAX, TAGS_MAX};
use crate::capability::Capability;
use crate::compile::CapabilityNeed;
use crate::event::{Autonomy, RiskPolicy};
use crate::name::{ConditionId, LoopId, Tag};
use crate::source::function::Function;
use crate::source::problem::{ProblemCode, Problems};
use crate::source::read::{FromSource, ObjectReader, read_by_parsing, wrong_type};
use crate::source::{DeclaredId, Dialect, FeatureId, Pointer, SourceOrigin, function};

/// A whole file. Parts with problems are missing from it.
#[derive(Debug)]
pub(crate) struct StrictWorkflow {
    pub(crate) id: Option<DeclaredId>,
    pub(crate) name: Option<Title>,
    pub(crate) description: Option<Description>,
    pub(crate) agent_role: Option<Description>,
    pub(crate) tags: BTreeSet<Tag>,
    pub(crate) recommended_autonomy: Option<Autonomy>,
    pub(crate) recommended_risk_policy: Option<RiskPolicy>,
    pub(crate) capabilities: BTreeMap<Capability, CapabilityNeed>,
    pub(crate) features: Vec<FeatureUse>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) functions: Vec<Function>,
    pub(crate) steps: Vec<StrictStep>,
}

/// A feature that the author switched on.
#[derive(Debug)]
pub(crate) struct FeatureUse {
    pub(crate) at: Pointer,
    pub(crate) id: FeatureId,
    pub(crate) config: Option<Value>,
}

/// A condition that loops refer to: the newest valid loop-control artifact of a loop says `continue`.
#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) at: Pointer,
    pub(crate) id: ConditionId,
    pub(crate) loop_id: LoopId,
}

impl StrictWorkflow {
    /// Reads a file from `origin`.
    pub(crate) fn read(
        value: &Value,
        origin: &SourceOrigin,
        problems: &mut Problems,
    ) -> Option<Self> {
        let mut object = ObjectReader::open(value, &Pointer::root(), problems)?;
        let id = DeclaredId::of(&mut object, origin);
        let recommended = object.optional::<Recommended>("recommendedPreferences");
        let recommended = recommended.unwrap_or_default();
        let workflow = Self {
            id,
            name: object.optional("name"),
            description: object.optional("description"),
            agent_role: object.optional("agentRole"),
            tags: tags(&mut object),
            recommended_autonomy: recommended.autonomy,
            recommended_risk_policy: recommended.risk_policy,
            capabilities: capabilities(&mut object),
            features: object.list("features", DECLARATIONS_MAX),
            conditions: object.list("conditions", DECLARATIONS_MAX),
            functions: function::definitions(&mut object, Dialect::Strict),
            steps: object.filled_list("steps", STEPS_MAX),
        };
        object.finish();
        Some(workflow)
    }
}

/// Reads the kinds of work that the workflow is for, in any order.
pub(crate) fn tags(object: &mut ObjectReader<'_, '_>) -> BTreeSet<Tag> {
    object.list("tags", TAGS_MAX).into_iter().collect()
}

/// The most freedom that the author recommends for a run.
#[derive(Debug, Default)]
pub(crate) struct Recommended {
    pub(crate) autonomy: Option<Autonomy>,
    pub(crate) risk_policy: Option<RiskPolicy>,
}

impl FromSource for Recommended {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let autonomy = object.optional("recommendedAutonomy");
        let risk_policy = object.optional("recommendedRiskPolicy");
        object.finish();
        Some(Self { autonomy, risk_policy })
    }
}

read_by_parsing!(UnknownName, "use required, preferred or disabled": CapabilityNeed);

fn capabilities(object: &mut ObjectReader<'_, '_>) -> BTreeMap<Capability, CapabilityNeed> {
    let at = object.at("capabilities");
    let mut read = BTreeMap::new();
    match object.raw("capabilities") {
        None => {}
        Some(Value::Object(entries)) => {
            for (name, need) in entries {
                let at = at.field(name);
                let name = Value::String(name.clone());
                let capability = Capability::read(&name, &at, object.problems);
                let need = CapabilityNeed::read(need, &at, object.problems);
                read.extend(capability.zip(need));
            }
        }
        Some(other) => wrong_type(other, &at, "an object", object.problems),
    }
    read
}

impl FromSource for FeatureUse {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        if value.is_string() {
            let id = FeatureId::read(value, at, problems)?;
            return Some(Self { at: at.clone(), id, config: None });
        }
        let mut object = ObjectReader::open(value, at, problems)?;
        let id = object.required("featureId");
        let config = object.raw("config").cloned();
        object.finish();
        Some(Self { at: at.clone(), id: id?, config })
    }
}

impl FromSource for Condition {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let fix = "use {\"conditionId\": …, \"kind\": \"loop_control\", \"loopId\": …}";
        if value.is_string() {
            let reason = "a condition is one of a closed set, not an expression";
            problems.report(at, ProblemCode::LoopWithoutControl, reason, fix);
            return None;
        }
        let mut object = ObjectReader::open(value, at, problems)?;
        match object.raw("kind") {
            Some(Value::String(kind)) if kind == "loop_control" => {}
            None => object.missing("kind"),
            Some(_) => {
                let reason =
                    "the only kind of condition is `loop_control`; context variables drive no loop";
                object.report("kind", ProblemCode::LoopWithoutControl, reason, fix);
                return None;
            }
        }
        let id = object.required("conditionId");
        let loop_id = object.required("loopId");
        object.finish();
        Some(Self { at: at.clone(), id: id?, loop_id: loop_id? })
    }
}
