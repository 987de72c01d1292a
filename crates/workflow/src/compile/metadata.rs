//! Information for people who choose a workflow. No run depends on it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::name::Tag;

piton_core::closed_set! {
    /// How capable a model an author has in mind.
    pub enum ModelTier {
        /// A small and fast one.
        Lightweight => "lightweight",
        /// One in between.
        Mid => "mid",
        /// The most capable one.
        Heavy => "heavy",
    }
}

/// What people read about a workflow beside its name and description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Metadata {
    /// What kinds of work it is for.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<Tag>,
    /// The version that its author gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What it is about, at length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// What it was made for, by example.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// How capable a model its author has in mind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_tier: Option<ModelTier>,
}

impl Metadata {
    /// True if there is no information at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
