//! What a process notes about itself.

use std::{
    path::Path,
    process,
    sync::{Arc, OnceLock},
    time::Duration,
};

use piton_core::{
    Code, Envelope, SessionId,
    port::{Clock as _, Notice, Trace},
};
use piton_mcp::log::{CallLog, Called};
use piton_runtime::config::LogLevel;
use piton_store::local::SystemClock;

use super::{DIRECTORY, file, record::Record};

/// The logs, as one command writes them.
#[derive(Clone)]
pub(crate) struct Log {
    written: Arc<file::Written>,
    level: LogLevel,
    command: Arc<str>,
    began: Duration,
    /// The session that the command is about.
    session: Arc<OnceLock<String>>,
}

impl Log {
    pub(crate) fn new(data_dir: &Path, level: LogLevel, command: &str) -> Self {
        let written = Arc::new(file::Written::new(data_dir.join(DIRECTORY)));
        let session = Arc::default();
        let (command, began) = (Arc::from(command), SystemClock.monotonic());
        Self { written, level, command, began, session }
    }

    /// Says which session the command is about.
    pub(crate) fn about(&self, session: SessionId) {
        let _ = self.session.set(session.to_string());
    }

    /// That something began that lasts.
    pub(crate) fn began(&self) {
        self.note(LogLevel::Info, "began", None, None);
    }

    /// That the command did its work.
    pub(crate) fn ended(&self) {
        self.note(LogLevel::Info, "ended", None, None);
    }

    /// That the command failed.
    pub(crate) fn failed(&self, envelope: &Envelope) {
        self.note(LogLevel::Error, "failed", None, Some(envelope.code));
    }

    /// That what an import left half was removed.
    pub(crate) fn removed_half(&self, session: SessionId) {
        let session = session.to_string();
        self.note(
            LogLevel::Warn,
            "removed a session that an import left half",
            Some(session),
            None,
        );
    }

    fn note(&self, level: LogLevel, event: &str, session: Option<String>, code: Option<Code>) {
        if level > self.level {
            return;
        }
        let took = SystemClock.monotonic().saturating_sub(self.began);
        self.append(&Record {
            session: session.or_else(|| self.session.get().cloned()),
            code,
            ..self.record(level, event, took)
        });
    }

    /// A line that says no more than what happened.
    fn record(&self, level: LogLevel, event: &str, took: Duration) -> Record {
        Record {
            time_ms: SystemClock.now_ms(),
            level,
            pid: process::id(),
            command: self.command.to_string(),
            event: event.to_owned(),
            tool: None,
            run: None,
            session: None,
            code: None,
            took_ms: u64::try_from(took.as_millis()).ok(),
        }
    }

    fn append(&self, record: &Record) {
        // A full disk or a directory that cannot be written to is told by what needs it.
        let _ = self.written.append(record);
    }
}

impl CallLog for Log {
    fn called(&self, call: &Called) {
        let level = match call.code {
            Some(Code::InternalError) => LogLevel::Error,
            Some(_) => LogLevel::Warn,
            None => LogLevel::Info,
        };
        if level > self.level {
            return;
        }
        self.append(&Record {
            tool: Some(call.tool.to_owned()),
            run: call.run.as_ref().map(|run| run.label.clone()),
            session: call.run.as_ref().map(|run| run.session.to_string()),
            code: call.code,
            ..self.record(level, call.outcome.as_str(), call.took)
        });
    }
}

impl Trace for Log {
    fn notice(&self, notice: &Notice) {
        let (level, event, session) = match notice {
            Notice::DedupeReplay { stream, .. } => {
                (LogLevel::Debug, "answered a repetition from the record", Some(stream.clone()))
            }
            Notice::TornTailSaved { stream, .. } => {
                (LogLevel::Warn, "set the end of a cut-off write aside", Some(stream.clone()))
            }
            Notice::SyncFailed { stream } => {
                (LogLevel::Error, "the disk did not confirm a write", Some(stream.clone()))
            }
            Notice::LeaseWaited { .. } => (LogLevel::Debug, "waited for another process", None),
        };
        self.note(level, event, session, None);
    }
}
