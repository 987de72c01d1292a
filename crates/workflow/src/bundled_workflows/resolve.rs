//! Finds bundled workflows by id, and by the names that they had before there were namespaces.
//!
//! *Invariants*: an older name leads to the id and no further: everything that is pinned, recorded or saved
//! has the id. A caller that used the name gets a warning.
//!
//! *Limitations*: a workflow of the user may declare the same older id. A caller that knows all sources asks
//! those first, since a user's own workflow is the one that the user means.

use std::fmt;

use piton_core::WorkflowId;
use serde::Serialize;

use super::set::Bundled;
use crate::compile::WarningCode;

/// The workflow that was found under an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub workflow: Bundled,
    /// Set when the id is an older name.
    pub warning: Option<AliasWarning>,
}

/// Somebody used an older name of a bundled workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AliasWarning {
    /// [`WarningCode::LegacyWorkflowId`].
    pub code: WarningCode,
    /// The older name.
    pub alias: String,
    /// The id to use instead.
    pub canonical_id: WorkflowId,
}

impl fmt::Display for AliasWarning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { alias, canonical_id, .. } = self;
        write!(formatter, "`{alias}` is an older name of `{canonical_id}`; use `{canonical_id}`")
    }
}

/// Returns the bundled workflow with this id or older name.
pub fn resolve(id: &str) -> Option<Resolved> {
    if let Ok(workflow) = id.parse() {
        return Some(Resolved { workflow, warning: None });
    }
    let workflow = *Bundled::ALL.iter().find(|workflow| workflow.aliases().contains(&id))?;
    let warning = AliasWarning {
        code: WarningCode::LegacyWorkflowId,
        alias: id.to_owned(),
        canonical_id: workflow.workflow_id(),
    };
    Some(Resolved { workflow, warning: Some(warning) })
}
