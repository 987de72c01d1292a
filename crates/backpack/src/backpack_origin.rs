//! The origin of a snapshot or fork.

use serde::{Deserialize, Serialize};

use crate::backpack_id::BackpackId;
use crate::commit_id::CommitId;

/// The backpack that a snapshot or fork was taken from, and the last commit that it contains.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BackpackOrigin {
    /// The backpack.
    pub backpack: BackpackId,
    /// The commit; absent if it was taken before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
}
