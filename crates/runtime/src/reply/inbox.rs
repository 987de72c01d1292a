//! Everything that waits for a person.

use piton_core::Envelope;
use piton_workflow::projection::RunSummary;
use piton_workflow::session::Question;
use schemars::JsonSchema;
use serde::Serialize;

use super::session::TroubledSession;
use super::shown_list::ShownList;
use crate::config::{ConfigProblem, Status};
use crate::library::UnloadedFile;

/// Everything that waits for a person, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Inbox {
    /// Questions of runs that nobody has answered.
    pub questions: ShownList<Question>,
    /// Runs that stopped for something that their agents have to supply.
    pub blocked: ShownList<RunSummary>,
    /// Runs that went on although something critical is missing.
    pub gaps: ShownList<GappedRun>,
    /// Sessions that are damaged or cannot be read.
    pub damaged: ShownList<TroubledSession>,
    /// Overlays with changes to review.
    pub overlays: ShownList<OverlayWaiting>,
    /// Workflow files that do not load.
    pub unloaded: ShownList<UnloadedFile>,
    /// Problems of the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub config_problems: Vec<ConfigProblem>,
    /// The settings that take effect only after a restart, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<Status>,
    /// Number of older runs that were not read; some of them may ask something.
    pub runs_not_read: usize,
    /// Parts that could not be looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<Envelope>,
}

/// A run with critical gaps.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GappedRun {
    /// The run.
    pub run: RunSummary,
    /// Number of open gaps that are critical.
    pub critical: usize,
}

/// An overlay with changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverlayWaiting {
    /// The overlay.
    pub overlay: String,
    /// The Workspace below.
    pub over: String,
    /// Number of changed paths.
    pub changes: usize,
}

impl Inbox {
    /// Returns the number of things that wait.
    pub fn total(&self) -> usize {
        let lists = [
            self.questions.total(),
            self.blocked.total(),
            self.gaps.total(),
            self.damaged.total(),
            self.overlays.total(),
            self.unloaded.total(),
        ];
        let config = self.config_problems.len() + usize::from(self.restart.is_some());
        lists.iter().sum::<usize>() + config + self.unavailable.len()
    }
}
