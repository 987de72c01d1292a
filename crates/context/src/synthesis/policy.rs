//! Policies that combine the frames of a directory's entries: the built-in ones, and those that a program adds. Pure.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::summary::{concatenation, summary};
use crate::Error;
use crate::bounds::{CONCATENATION_BYTES, SUMMARY_BYTES};
use crate::frame::{FrameHead, Policy};
use crate::read::ViewedFrame;
use crate::tree::TreePath;
use crate::word::{AgentId, FrameType};

piton_core::closed_set! {
    /// How the frames of a directory's entries become one.
    pub enum PolicyName {
        /// One after the other, each under its path.
        Concatenation => "concatenation",
        /// Headings, first sentences and names of symbols.
        Summarization => "summarization",
        /// One after the other, but only some of them.
        Filtering => "filtering",
    }
}

/// Version of each built-in policy. A change of its output is a new version.
const BUILT_IN_VERSION: u64 = 2;

/// The frames of the entries that are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// The heads of all types: `*`.
    All,
    /// The heads of one type.
    Type(FrameType),
}

/// A requested policy for combining frames.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum PolicySpec {
    /// One after another, each under its path, and shortened if there are too many.
    #[default]
    Concatenation,
    /// Headings, first sentences and names of symbols, within a number of bytes.
    Summarization {
        /// Maximum size of the whole text.
        #[serde(default)]
        bytes_max: Option<u64>,
    },
    /// Like concatenation, but with only some of the frames.
    Filtering {
        /// Types to use; all if empty.
        #[serde(default)]
        types: Vec<FrameType>,
        /// Agents to use; all if empty.
        #[serde(default)]
        agents: Vec<AgentId>,
        /// Maximum number of frames.
        #[serde(default)]
        frames_max: Option<u64>,
    },
    /// A function that was registered under this name.
    Custom {
        name: String,
        /// Passed to the function unchanged.
        #[serde(default)]
        parameters: Value,
    },
}

/// A frame of an entry, as a policy sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyInput {
    pub path: TreePath,
    pub frame_type: FrameType,
    pub agent_id: AgentId,
    pub content: Vec<u8>,
}

/// The parameters common to all policies, as they are stored.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Selection {
    pub(super) inputs: String,
    pub(super) types: Vec<FrameType>,
    pub(super) agents: Vec<AgentId>,
    pub(super) frames_max: Option<u64>,
    pub(super) bytes_max: Option<u64>,
}

impl std::str::FromStr for Inputs {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text == "*" { Ok(Self::All) } else { Ok(Self::Type(text.parse()?)) }
    }
}

impl fmt::Display for Inputs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => formatter.write_str("*"),
            Self::Type(frame_type) => frame_type.fmt(formatter),
        }
    }
}

impl PolicySpec {
    /// Returns the name of the policy.
    pub fn name(&self) -> &str {
        match self {
            Self::Concatenation => PolicyName::Concatenation.as_str(),
            Self::Summarization { .. } => PolicyName::Summarization.as_str(),
            Self::Filtering { .. } => PolicyName::Filtering.as_str(),
            Self::Custom { name, .. } => name,
        }
    }

    /// Returns the policy in the form that becomes part of a basis.
    pub(super) fn pinned(&self, inputs: &Inputs, version: u64) -> Policy {
        let inputs = inputs.to_string();
        let parameters = match self {
            Self::Concatenation => json!({ "inputs": inputs }),
            Self::Summarization { bytes_max } => {
                json!({ "inputs": inputs, "bytesMax": bytes_max.unwrap_or(SUMMARY_BYTES) })
            }
            Self::Filtering { types, agents, frames_max } => json!({
                "inputs": inputs,
                "types": types,
                "agents": agents,
                "framesMax": frames_max,
            }),
            Self::Custom { parameters, .. } => json!({ "inputs": inputs, "custom": parameters }),
        };
        Policy { name: self.name().to_owned(), version, parameters }
    }
}

impl Selection {
    pub(super) fn of(policy: &Policy) -> Result<Self, Error> {
        serde_json::from_value(policy.parameters.clone()).map_err(|error| {
            Error::integrity(format!("the policy {} of a frame", policy.name), error.to_string())
        })
    }

    /// True if a head is used.
    pub(super) fn takes(&self, head: &FrameHead) -> bool {
        (self.inputs == "*" || self.inputs == head.frame_type.as_str())
            && (self.types.is_empty() || self.types.contains(&head.frame_type))
            && (self.agents.is_empty() || self.agents.contains(&head.agent_id))
    }
}

/// Renders the text of a built-in policy. Returns `None` if there is no such policy.
fn render(policy: &Policy, pieces: &[PolicyInput]) -> Result<Option<Vec<u8>>, Error> {
    Ok(match policy.name.parse::<PolicyName>() {
        Ok(PolicyName::Concatenation | PolicyName::Filtering) => {
            Some(concatenation(pieces, CONCATENATION_BYTES))
        }
        Ok(PolicyName::Summarization) => {
            let bytes = Selection::of(policy)?.bytes_max.unwrap_or(SUMMARY_BYTES);
            Some(summary(pieces, usize::try_from(bytes).unwrap_or(usize::MAX)).into_bytes())
        }
        Err(_) => None,
    })
}

/// A function that makes one text from pieces. The same pieces and parameters must give the same text.
pub type CustomPolicy = Arc<dyn Fn(&[PolicyInput], &Value) -> Vec<u8> + Send + Sync>;

/// A comparison of two frames. Frames that compare equal are ordered by their ids.
pub type CustomOrder = Arc<dyn Fn(&ViewedFrame, &ViewedFrame) -> Ordering + Send + Sync>;

/// The registered policies and orders.
#[derive(Clone, Default)]
pub struct Registry {
    policies: BTreeMap<String, (u64, CustomPolicy)>,
    orders: BTreeMap<String, CustomOrder>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policies: Vec<_> = self.policies.keys().collect();
        let orders: Vec<_> = self.orders.keys().collect();
        write!(formatter, "Registry({policies:?}, {orders:?})")
    }
}

impl Registry {
    /// Adds a policy. Refuses a name that is taken, including those of the built-in policies. Change the version
    /// whenever the output changes.
    pub fn with_policy(
        mut self,
        name: &str,
        version: u64,
        policy: CustomPolicy,
    ) -> Result<Self, Error> {
        if self.version(name).is_some() {
            return Err(name_taken("policy", name));
        }
        self.policies.insert(name.to_owned(), (version, policy));
        Ok(self)
    }

    /// Adds an order of frames. Refuses a name that is taken.
    pub fn with_order(mut self, name: &str, order: CustomOrder) -> Result<Self, Error> {
        if self.orders.contains_key(name) {
            return Err(name_taken("order", name));
        }
        self.orders.insert(name.to_owned(), order);
        Ok(self)
    }

    /// Returns the version of a policy, if it is known.
    pub(crate) fn version(&self, name: &str) -> Option<u64> {
        match name.parse::<PolicyName>() {
            Ok(_) => Some(BUILT_IN_VERSION),
            Err(_) => self.policies.get(name).map(|(version, _)| *version),
        }
    }

    pub(crate) fn order(&self, name: &str) -> Option<&CustomOrder> {
        self.orders.get(name)
    }

    /// Renders pieces with a policy.
    pub(super) fn render(&self, policy: &Policy, pieces: &[PolicyInput]) -> Result<Vec<u8>, Error> {
        if let Some(text) = render(policy, pieces)? {
            return Ok(text);
        }
        let Some((_, custom)) = self.policies.get(&policy.name) else {
            return Err(Error::Invalid(format!("there is no policy called {}", policy.name)));
        };
        Ok(custom(pieces, policy.parameters.get("custom").unwrap_or(&Value::Null)))
    }
}

fn name_taken(what: &str, name: &str) -> Error {
    Error::Invalid(format!("the {what} `{name}` is there already; give this one another name"))
}
