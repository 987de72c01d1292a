//! Assessments: ratings that a step asks for, and their consequences.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::{AssessmentId, DimensionId};

/// A rating along dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Assessment {
    /// Its id.
    pub id: AssessmentId,
    /// What it is for.
    pub purpose: String,
    /// What is rated, in the author's order.
    pub dimensions: Vec<Dimension>,
}

/// One thing that is rated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Dimension {
    /// Its id.
    pub id: DimensionId,
    /// What it says.
    pub purpose: String,
    /// The levels, in the author's order.
    pub levels: Vec<String>,
    /// Whether it must be rated.
    pub required: bool,
}

/// What follows when a dimension is at a level: the step is not left before its guidance was followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Consequence {
    /// The level.
    pub any_equals_level: String,
    /// The assessment; any of the step's if none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub for_assessment: Option<AssessmentId>,
    /// What to do then, in the author's words.
    pub guidance: String,
}

impl Dimension {
    /// Returns the level that `given` means: the one of exactly that name or, failing that, the one that
    /// differs from it only in case and outer spaces.
    pub fn level(&self, given: &str) -> Option<&str> {
        let exact = self.levels.iter().find(|level| *level == given);
        let plain = given.trim().to_lowercase();
        let close = || self.levels.iter().find(|level| level.trim().to_lowercase() == plain);
        exact.or_else(close).map(String::as_str)
    }
}
