//! The id of a backpack, which is also the name of its stream.

use std::str::FromStr;

use piton_core::Entropy;
use piton_store::{NameError, StreamId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::history::commit_id::CommitId;

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
