//! What the demo found out, for a program.

use std::path::PathBuf;

use serde::Serialize;

/// What happened.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Played {
    /// The project.
    pub(super) project: PathBuf,
    /// The data directory.
    pub(super) data_dir: PathBuf,
    /// The run as people call it.
    pub(super) run: String,
    /// Its session.
    pub(super) session: String,
    /// How many tools the agent had.
    pub(super) tools: usize,
    /// What the agent was told when it was blocked.
    pub(super) blocked: String,
    /// The signal that ended the first server.
    pub(super) signal: i32,
    /// What was there before the kill, was acknowledged, and is gone.
    pub(super) lost: usize,
    /// What the agent was told when it wrote where it may only read.
    pub(super) refused: String,
    /// How many steps were handed in.
    pub(super) steps: usize,
}
