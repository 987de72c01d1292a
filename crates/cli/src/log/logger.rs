//! The log of one process.

use std::collections::HashMap;
use std::path::Path;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use piton_core::port::{Clock as _, Notice, Trace};
use piton_core::{Code, Envelope, SessionId};
use piton_mcp::log::{CallLog, CallOutcome, Called};
use piton_runtime::config::LogLevel;

use super::file::{DIRECTORY, LogRecord, LogWriter};
use crate::adapters::SystemClock;
use crate::bounds::{LOG_FAILURES_MAX, LOG_FAILURES_SPAN};

/// The log, as one command writes it. Clones share one file and one count of failures.
#[derive(Clone)]
pub(crate) struct CallLogger {
    written: Arc<LogWriter>,
    level: LogLevel,
    command: Arc<str>,
    pid: u32,
    began: Duration,
    /// The session that the command is about.
    session: Arc<OnceLock<String>>,
    failures: Arc<Mutex<Failures>>,
}

/// Failed calls of one tool and code within a span of time.
#[derive(Default)]
struct Counted {
    began: Duration,
    lines: u32,
    /// Number of failures without a line since the last line.
    left_out: u64,
}

/// Failed calls by tool and code. A client that fails over and over must not fill the logs.
#[derive(Default)]
struct Failures(HashMap<(&'static str, Code), Counted>);

impl Failures {
    /// Counts a failure. If it gets a line, returns the number of similar failures before it that got none.
    fn count(&mut self, tool: &'static str, code: Code, now: Duration) -> Option<u64> {
        let counted = self.0.entry((tool, code)).or_default();
        // The span begins with its first line. The number of omitted failures survives it, and the next line reports
        // them.
        if counted.lines == 0 || now.saturating_sub(counted.began) >= LOG_FAILURES_SPAN {
            (counted.began, counted.lines) = (now, 0);
        }
        if counted.lines >= LOG_FAILURES_MAX {
            counted.left_out += 1;
            return None;
        }
        counted.lines += 1;
        Some(std::mem::take(&mut counted.left_out))
    }
}

impl CallLogger {
    pub(crate) fn new(data_dir: &Path, level: LogLevel, command: &str) -> Self {
        let written = Arc::new(LogWriter::new(data_dir.join(DIRECTORY)));
        let session = Arc::default();
        let (command, began) = (Arc::from(command), SystemClock.monotonic());
        let pid = process::id();
        Self { written, level, command, pid, began, session, failures: Arc::default() }
    }

    /// Sets the session that the command is about. The first call counts.
    pub(crate) fn about(&self, session: SessionId) {
        let _ = self.session.set(session.to_string());
    }

    /// Logs the start of a long-running command.
    pub(crate) fn began(&self) {
        self.note(LogLevel::Info, "began", None, None);
    }

    /// Logs that the command did its work.
    pub(crate) fn ended(&self) {
        // Before the last line: failures that got no line must not be lost with the process.
        self.append_left_out();
        self.note(LogLevel::Info, "ended", None, None);
    }

    /// Logs that the command failed.
    pub(crate) fn ended_with(&self, envelope: &Envelope) {
        self.append_left_out();
        self.failed(envelope);
    }

    /// Logs the number of failed calls that got no line.
    fn append_left_out(&self) {
        // Taken, so that the lock is not held while writing, and a second call finds nothing to repeat.
        let failures = std::mem::take(&mut *self.failures());
        for ((tool, code), counted) in failures.0 {
            if counted.left_out > 0 {
                let (level, event) = (level_of(Some(code)), CallOutcome::Failed.as_str());
                self.append(&LogRecord {
                    tool: Some(tool.to_owned()),
                    code: Some(code),
                    took_ms: None,
                    // The line itself stands for one of them.
                    left_out: Some(counted.left_out - 1).filter(|&count| count > 0),
                    ..self.record(level, event, Duration::ZERO)
                });
            }
        }
    }

    /// Logs a failure.
    pub(crate) fn failed(&self, envelope: &Envelope) {
        self.note(LogLevel::Error, "failed", None, Some(envelope.code));
    }

    /// Logs that the remains of an unfinished import were removed.
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
        // A higher level is a less important one.
        if level > self.level {
            return;
        }
        let took = SystemClock.monotonic().saturating_sub(self.began);
        self.append(&LogRecord {
            session: session.or_else(|| self.session.get().cloned()),
            code,
            ..self.record(level, event, took)
        });
    }

    /// Returns a record with nothing but the event.
    fn record(&self, level: LogLevel, event: &str, took: Duration) -> LogRecord {
        LogRecord {
            time_ms: SystemClock.now_ms(),
            level,
            pid: self.pid,
            command: self.command.to_string(),
            event: event.to_owned(),
            tool: None,
            run: None,
            session: None,
            code: None,
            took_ms: u64::try_from(took.as_millis()).ok(),
            left_out: None,
        }
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn append(&self, record: &LogRecord) {
        // A full disk or an unwritable directory is reported by the operation that needs it.
        let _ = self.written.append(record);
    }
}

fn level_of(code: Option<Code>) -> LogLevel {
    match code {
        Some(Code::InternalError) => LogLevel::Error,
        Some(_) => LogLevel::Warn,
        None => LogLevel::Info,
    }
}

impl CallLog for CallLogger {
    fn called(&self, call: &Called) {
        let level = level_of(call.code);
        // Before counting: a call that is not logged at this level must not be reported as omitted either.
        if level > self.level {
            return;
        }
        let left_out = match call.code {
            None => 0,
            Some(code) => {
                // The lock is released at the end of this statement, before the file is written.
                let counted = self.failures().count(call.tool, code, SystemClock.monotonic());
                let Some(left_out) = counted else { return };
                left_out
            }
        };
        self.append(&LogRecord {
            tool: Some(call.tool.to_owned()),
            run: call.run.as_ref().map(|run| run.label.clone()),
            session: call.run.as_ref().map(|run| run.session.to_string()),
            code: call.code,
            left_out: Some(left_out).filter(|&count| count > 0),
            ..self.record(level, call.outcome.as_str(), call.took)
        });
    }
}

impl Trace for CallLogger {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_fail_over_and_over_are_counted_and_take_few_lines() {
        const CALLS: u64 = 5_000;
        let home = tempfile::tempdir().unwrap();
        let log = CallLogger::new(home.path(), LogLevel::Info, "mcp");
        let call = |code| Called {
            tool: "stat",
            run: None,
            outcome: CallOutcome::Failed,
            code: Some(code),
            took: Duration::ZERO,
        };
        for _ in 0..CALLS {
            log.called(&call(Code::WorkspaceUnmapped));
        }
        log.called(&call(Code::WorkspaceScope));
        log.ended();
        let records = super::super::read(&home.path().join(DIRECTORY)).unwrap();
        let of = |code| records.iter().filter(move |record| record.code == Some(code));
        assert_eq!(of(Code::WorkspaceScope).count(), 1, "each kind is counted by itself");
        assert_eq!(of(Code::WorkspaceUnmapped).count() as u64, u64::from(LOG_FAILURES_MAX) + 1);
        let told: u64 =
            of(Code::WorkspaceUnmapped).map(|record| 1 + record.left_out.unwrap_or(0)).sum();
        assert_eq!(told, CALLS, "none is missing from the count");
    }

    #[test]
    fn a_program_that_ends_with_a_failure_has_told_every_failed_call() {
        const CALLS: u32 = LOG_FAILURES_MAX + 7;
        let home = tempfile::tempdir().unwrap();
        let log = CallLogger::new(home.path(), LogLevel::Info, "mcp");
        let code = Code::WorkspaceUnmapped;
        let call = Called {
            tool: "stat",
            run: None,
            outcome: CallOutcome::Failed,
            code: Some(code),
            took: Duration::ZERO,
        };
        for _ in 0..CALLS {
            log.called(&call);
        }
        log.ended_with(&Envelope::new(Code::StoreIo, "The pipe broke."));
        let records = super::super::read(&home.path().join(DIRECTORY)).unwrap();
        let of_calls = records.iter().filter(|record| record.code == Some(code));
        let told: u64 = of_calls.map(|record| 1 + record.left_out.unwrap_or(0)).sum();
        assert_eq!(told, u64::from(CALLS), "none is missing from the count");
        assert_eq!(records.last().unwrap().code, Some(Code::StoreIo));
    }

    #[test]
    fn after_its_time_a_failure_has_a_line_again_that_counts_those_before() {
        let mut failures = Failures::default();
        let mut count = |now| failures.count("stat", Code::WorkspaceScope, now);
        for _ in 0..LOG_FAILURES_MAX {
            assert_eq!(count(Duration::ZERO), Some(0));
        }
        assert_eq!((count(Duration::ZERO), count(Duration::ZERO)), (None, None));
        assert_eq!(count(LOG_FAILURES_SPAN), Some(2));
        assert_eq!(count(LOG_FAILURES_SPAN), Some(0));
    }
}
