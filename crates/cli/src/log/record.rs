//! One line of the logs.

use piton_core::{Code, TimestampMs};
use piton_runtime::config::LogLevel;
use serde::{Deserialize, Serialize};

/// One line of the logs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogRecord {
    /// When.
    pub(crate) time_ms: TimestampMs,
    /// How much it matters.
    pub(crate) level: LogLevel,
    /// Which process.
    pub(crate) pid: u32,
    /// What was called.
    pub(crate) command: String,
    /// What happened, in a few fixed words.
    pub(crate) event: String,
    /// The tool that an agent called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    /// The two words of the run that it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<String>,
    /// The session that it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// What kind of failure it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<Code>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) took_ms: Option<u64>,
    /// How many failures like it came before it without a line of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) left_out: Option<u64>,
}
