//! Short texts that people write, checked once, cheap to clone, ordered as bytes; and the id of a backpack.

use std::str::FromStr;
use std::sync::Arc;

use piton_core::{Entropy, Namespace};
use piton_store::{NameError, StreamId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounds::{KEY_BYTES_MAX, NODE_BYTES_MAX, TAG_BYTES_MAX};
use crate::history::commit_id::CommitId;

/// The error for a text that cannot be a key, a node or a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} {problem}")]
pub struct TextError {
    /// The kind of text that was expected.
    pub what: &'static str,
    pub problem: TextProblem,
}

/// Reasons to refuse a short text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextProblem {
    #[error("is empty")]
    Empty,
    #[error("has {measured} bytes; at most {max} are allowed")]
    TooLong { measured: usize, max: usize },
    #[error("has a control character at byte {at}")]
    Control { at: usize },
}

fn check(text: &str, max: usize) -> Result<(), TextProblem> {
    if text.is_empty() {
        return Err(TextProblem::Empty);
    }
    if text.len() > max {
        return Err(TextProblem::TooLong { measured: text.len(), max });
    }
    match text.char_indices().find(|(_, character)| character.is_control()) {
        Some((at, _)) => Err(TextProblem::Control { at }),
        None => Ok(()),
    }
}

macro_rules! short_text {
    ($(#[$meta:meta])* $name:ident, $what:literal, $max:expr) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks a text.
            pub fn parse(text: &str) -> Result<Self, TextError> {
                match check(text, $max) {
                    Ok(()) => Ok(Self(text.into())),
                    Err(problem) => Err(TextError { what: $what, problem }),
                }
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = TextError;

            fn from_str(text: &str) -> Result<Self, TextError> {
                Self::parse(text)
            }
        }

        piton_core::shown_as_text!($name);
        piton_core::text_form!($name, $what, r"^[^\p{Cc}]+$", $max);
    };
}

short_text! {
    /// The name of an item: 1 to 256 bytes without control characters.
    Key, "a key", KEY_BYTES_MAX
}

short_text! {
    /// Which flow node it is: unique in its flow.
    NodeId, "a node id", NODE_BYTES_MAX
}

short_text! {
    /// What people call a flow node.
    NodeName, "a node name", NODE_BYTES_MAX
}

short_text! {
    /// A label of an item. `pii` restricts who may read it.
    Tag, "a tag", TAG_BYTES_MAX
}

/// A key, or a text that becomes one.
pub trait IntoKey {
    /// Checks the text, unless it is a key already.
    fn into_key(self) -> Result<Key, TextError>;
}

impl IntoKey for &str {
    fn into_key(self) -> Result<Key, TextError> {
        Key::parse(self)
    }
}

impl IntoKey for &String {
    fn into_key(self) -> Result<Key, TextError> {
        Key::parse(self)
    }
}

impl<K: IntoKey + Copy> IntoKey for &K {
    fn into_key(self) -> Result<Key, TextError> {
        (*self).into_key()
    }
}

impl IntoKey for &Key {
    fn into_key(self) -> Result<Key, TextError> {
        Ok(self.clone())
    }
}

impl Tag {
    /// The tag of items with personal data.
    pub const PII: &'static str = "pii";

    /// True if this is the tag for personal data.
    pub fn is_pii(&self) -> bool {
        self.as_str() == Self::PII
    }
}

/// A flow node as a backpack knows it. It is bound to a [`Scope`](crate::Scope) once, and is an argument of no call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeIdentity {
    /// Which node.
    #[serde(rename = "nodeId")]
    pub id: NodeId,
    /// What people call it.
    #[serde(rename = "nodeName")]
    pub name: NodeName,
    /// Where it stands in its flow, as a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Namespace>,
}

impl NodeIdentity {
    /// The id of the owner that made the backpack and packed its first items.
    pub const SYSTEM: &'static str = "system";

    /// The id under which flows are run. What the runner needs to resume them is limited to this id; no agent and no
    /// node has it.
    pub const FLOW_RUNNER: &'static str = "flow";

    /// Creates the identity of a node without a namespace.
    pub fn new(id: &str, name: &str) -> Result<Self, TextError> {
        Ok(Self { id: NodeId::parse(id)?, name: NodeName::parse(name)?, namespace: None })
    }

    /// Puts the node into a namespace.
    #[must_use]
    pub fn within(mut self, namespace: Namespace) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Returns the identity of the backpack's owner.
    pub fn system() -> Self {
        Self::new(Self::SYSTEM, Self::SYSTEM).expect("the word is a short text")
    }
}

/// The id of a backpack: 1 to 96 characters of `a-z`, `0-9`, `_` and `-`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BackpackId(StreamId);

impl BackpackId {
    /// Draws a new random id.
    pub fn mint(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        let text = format!("pack_{:032x}", u128::from_be_bytes(bytes));
        Self(text.parse().expect("hex digits are allowed in a name"))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the stream that holds the journaled backpack.
    pub fn stream(&self) -> &StreamId {
        &self.0
    }
}

impl From<StreamId> for BackpackId {
    fn from(stream: StreamId) -> Self {
        Self(stream)
    }
}

impl FromStr for BackpackId {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        text.parse().map(Self)
    }
}

piton_core::shown_as_text!(BackpackId);
piton_core::text_form!(
    BackpackId,
    "the id of a backpack",
    "^[a-z0-9_-]+$",
    piton_store::bounds::NAME_BYTES_MAX
);

/// The backpack that a snapshot or fork was taken from, and the last commit that it contains.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BackpackOrigin {
    /// The backpack.
    pub backpack: BackpackId,
    /// The commit; absent if it was taken before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
}
