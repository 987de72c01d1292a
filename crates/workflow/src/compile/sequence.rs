//! The order of steps: the sequence of a run, and its loops.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::{ConditionId, LoopId, StepId};
use crate::predicate::Predicate;

/// One place in a sequence of steps. Its position in the body of a loop is its body index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum SequenceEntry {
    /// A step.
    Step {
        /// Its id.
        step_id: StepId,
    },
    /// A loop.
    Loop {
        /// Its id.
        loop_id: LoopId,
    },
}

/// What a loop asks before it turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum CompiledCondition {
    /// Holds while the newest valid loop-control artifact of the loop says `continue`.
    LoopControl {
        /// Its id.
        condition_id: ConditionId,
        /// The loop.
        loop_id: LoopId,
    },
    /// Holds while something holds of what the run was told.
    Context {
        /// Its id.
        condition_id: ConditionId,
        /// What must hold.
        predicate: Predicate,
    },
    /// Holds for a number of turns.
    Count {
        /// Its id.
        condition_id: ConditionId,
        /// How many.
        count: Count,
    },
    /// Holds for one turn with each item of a list in the context.
    Items {
        /// Its id.
        condition_id: ConditionId,
        /// The key of the list.
        key: String,
    },
}

/// How many turns a loop is to have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Count {
    /// As many as its author wrote.
    Turns(u32),
    /// As many as the context says under a key.
    Key(String),
}

/// The names under which a turn of a loop is known to prompts and conditions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoopVariables {
    /// The turn, counted from one.
    pub iteration: String,
    /// The item of the turn.
    pub item: String,
    /// The place of the item, counted from zero.
    pub index: String,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompiledLoop {
    /// Its id.
    pub loop_id: LoopId,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it asks before it turns.
    pub condition_id: ConditionId,
    /// How often it turns at most.
    pub max_iterations: u32,
    /// What one turn does.
    pub body: Vec<SequenceEntry>,
    /// What must hold for it to begin; without it, it always does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_condition: Option<Predicate>,
    /// The names under which its turns are known, if prompts may ask for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<LoopVariables>,
}

impl CompiledCondition {
    /// Returns the id.
    pub const fn condition_id(&self) -> &ConditionId {
        match self {
            Self::LoopControl { condition_id, .. }
            | Self::Context { condition_id, .. }
            | Self::Count { condition_id, .. }
            | Self::Items { condition_id, .. } => condition_id,
        }
    }
}
