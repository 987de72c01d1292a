//! The step of a workflow at which something was written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{NodeId, RunId, SessionId};

/// The step of a run that something was written at. Every part keeps it beside what an agent writes while it is led
/// through a workflow, so that a value, a file and a frame can be traced to the step that they come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Provenance {
    /// The session.
    pub session: SessionId,
    /// The run.
    pub run: RunId,
    /// The node of the run whose step was pending.
    pub node: NodeId,
    /// The id of that step in its workflow.
    pub step: String,
}
