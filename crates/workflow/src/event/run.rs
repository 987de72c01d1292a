//! `run_started`: a run begins, pinned to a compiled workflow.

use piton_core::{BoundedText, WorkflowHash, WorkflowId};
use serde::{Deserialize, Serialize};

use crate::bounds::SOURCE_REF_BYTES_MAX;
use crate::run::SourceKind;

/// A run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunStarted {
    /// The workflow, as people name it.
    pub workflow_id: WorkflowId,
    /// The compiled workflow. The run follows this and nothing else.
    pub workflow_hash: WorkflowHash,
    /// Where its source was found.
    #[serde(rename = "workflowSourceKind")]
    pub source_kind: SourceKind,
    /// Which source that was. What it means depends on the kind; it is shown and never opened.
    #[serde(rename = "workflowSourceRef")]
    pub source_ref: BoundedText<SOURCE_REF_BYTES_MAX>,
}
