//! Bundled workflows by id, and by the names that they had before there were namespaces.
//!
//! *Invariants*: an older name leads to the id and no further: whatever is pinned, recorded or saved has the
//! id. Whoever used the name is told so.
//!
//! *Limitations*: a workflow of the user's own may declare the same older id. Whoever knows all sources asks
//! those first, since what a user wrote is what a user means.

use std::fmt;

use piton_core::WorkflowId;
use serde::Serialize;

use super::set::Bundled;
use crate::compile::WarningCode;

/// What was found under an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The workflow.
    pub workflow: Bundled,
    /// That the id is an older name.
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

/// The bundled workflow with this id or older name.
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
