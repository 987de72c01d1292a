//! A flow as it is written down.
//!
//! *Invariants*: it is data only: it names types of nodes and never holds code. What it leaves out is the default,
//! and defaults are left out when it is written.

use std::collections::BTreeMap;

use piton_backpack::Permissions;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::action::DEFAULT;
use crate::graph::Mappings;
use crate::node::RetryRule;

/// The version of the format. A description without one is taken for this.
pub const VERSION: &str = "2.0.0";

/// A whole flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// The version of the format; absent inside other flows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What a flow inside another is called there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its part of the namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Where it starts, if not at its first node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Its nodes.
    pub nodes: Vec<NodeDescription>,
    /// Its edges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<EdgeDescription>,
    /// The flows inside it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subflows: Vec<Self>,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeDescription {
    /// What it is called.
    pub id: String,
    /// What kind of node it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its part of the namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<String>,
    /// What it is made from.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// What it may touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Permissions>,
    /// How often its work is tried.
    #[serde(skip_serializing_if = "is_once")]
    pub retry: RetryRule,
    /// What it needs: a JSON Schema for each key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Value>,
    /// What it hands on: a JSON Schema for each key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, Value>,
}

/// One edge.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeDescription {
    /// Where it leaves.
    pub from: String,
    /// Where it leads.
    pub to: String,
    /// The action that takes it.
    #[serde(skip_serializing_if = "is_default")]
    pub condition: String,
    /// Which keys are copied to which on the way.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mappings: Mappings,
}

fn is_once(rule: &RetryRule) -> bool {
    *rule == RetryRule::ONCE
}

fn is_default(condition: &String) -> bool {
    condition == DEFAULT
}
