//! One line of the logs.

use piton_core::{Code, TimestampMs};
use piton_runtime::config::LogLevel;
use serde::{Deserialize, Serialize};

/// One line of the logs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogRecord {
    pub(crate) time_ms: TimestampMs,
    pub(crate) level: LogLevel,
    pub(crate) pid: u32,
    pub(crate) command: String,
    /// The event, in a few fixed words.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<Code>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) took_ms: Option<u64>,
    /// Number of similar failures before it without a line of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) left_out: Option<u64>,
}
