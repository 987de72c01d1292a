//! The facts that the demo established, for a program.

use std::path::PathBuf;

use serde::Serialize;

/// Facts of a finished demo.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Played {
    pub(super) project: PathBuf,
    pub(super) data_dir: PathBuf,
    /// The two words that name the run.
    pub(super) run: String,
    pub(super) session: String,
    /// Number of tools that the agent had.
    pub(super) tools: usize,
    /// Message to the agent when it was blocked.
    pub(super) blocked: String,
    /// The signal that ended the first server.
    pub(super) signal: i32,
    /// Number of things that were acknowledged before the kill and are gone after it.
    pub(super) lost: usize,
    /// Message to the agent when it wrote to a read-only place.
    pub(super) refused: String,
    /// Number of steps that were submitted.
    pub(super) steps: usize,
}
