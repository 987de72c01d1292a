//! The outcome of a run.

use piton_core::RunId;

use crate::flow::action::Action;
use crate::flow::error::Error;
use crate::flow::event::RunStatus;

/// The outcome of a run.
#[derive(Debug)]
pub struct RunReport {
    pub run: RunId,
    /// Number of nodes that it visited, before and after it was resumed.
    pub steps: u64,
    /// The action with which the last node ended, or the reason that the run did not reach its end.
    pub outcome: Result<Action, Error>,
}

impl RunReport {
    /// Returns the status of the run.
    pub const fn status(&self) -> RunStatus {
        match &self.outcome {
            Ok(_) => RunStatus::Done,
            Err(Error::Cancelled) => RunStatus::Cancelled,
            Err(_) => RunStatus::Failed,
        }
    }
}
