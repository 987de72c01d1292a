//! What became of a run.

use piton_core::RunId;

use crate::action::Action;
use crate::error::Error;
use crate::event::RunStatus;

/// What became of a run.
#[derive(Debug)]
pub struct RunReport {
    /// Which.
    pub run: RunId,
    /// How many nodes it visited, before and after it was resumed.
    pub steps: u64,
    /// The action with which the last node ended, or why the run did not come to its end.
    pub outcome: Result<Action, Error>,
}

impl RunReport {
    /// How the run stands.
    pub const fn status(&self) -> RunStatus {
        match &self.outcome {
            Ok(_) => RunStatus::Done,
            Err(Error::Cancelled) => RunStatus::Cancelled,
            Err(_) => RunStatus::Failed,
        }
    }
}
