//! The log files and their lines: one file that is being written, and a few full ones.
//!
//! *Limitations*: two processes that find the file full at the same moment may both begin a new one. Then one of the
//! kept files is short; there is no other consequence.
#![expect(clippy::disallowed_methods, reason = "the adapter that writes logs")]

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use piton_core::{Code, TimestampMs};
use piton_runtime::config::LogLevel;
use serde::{Deserialize, Serialize};

use crate::bounds::{LOG_FILE_BYTES_MAX, LOG_FILES_KEPT};

/// Directory of the files, below the data directory.
pub(crate) const DIRECTORY: &str = "logs";

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

/// Returns the path of the file of an age: 0 is being written, the others are full.
fn path(directory: &Path, age: u32) -> PathBuf {
    match age {
        0 => directory.join("piton.jsonl"),
        age => directory.join(format!("piton.{age}.jsonl")),
    }
}

/// The file that is being written, held open between lines.
#[derive(Debug)]
pub(super) struct LogWriter {
    directory: PathBuf,
    file: Mutex<Option<fs::File>>,
}

impl LogWriter {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self { directory, file: Mutex::default() }
    }

    /// Appends a line in a single write, so that the lines of several processes do not mix.
    pub(super) fn append(&self, record: &LogRecord) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        // A panic while the lock was held leaves at worst a missing file handle, so a poisoned lock is still good.
        let mut held = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out for the check: an error below leaves `None`, and the next line opens the file again.
        let file = match held.take() {
            // Another process may have filled, rotated or removed the file. Then it is closed, and the current one is
            // opened.
            Some(file) if has_room(&file, line.len())? => file,
            _ => self.opened(line.len())?,
        };
        held.insert(file).write_all(&line)
    }

    /// Opens the current file, and rotates first if it has no room for a line.
    fn opened(&self, bytes: usize) -> io::Result<fs::File> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        let current = path(&self.directory, 0);
        // With `append`, the kernel moves to the end at each write, also past the lines of other processes.
        let open = || fs::OpenOptions::new().append(true).create(true).mode(0o600).open(&current);
        let file = open()?;
        // Another process may have rotated already, in which case the file found here is new.
        if has_room(&file, bytes)? {
            return Ok(file);
        }
        // From the oldest on, so that each name is free when the next file moves there; the oldest is overwritten. A
        // file that is missing, or that another process moved first, is no problem.
        for age in (0..LOG_FILES_KEPT).rev() {
            let _ = fs::rename(path(&self.directory, age), path(&self.directory, age + 1));
        }
        open()
    }
}

/// True if a file still has a name and room for this number of bytes.
fn has_room(file: &fs::File, bytes: usize) -> io::Result<bool> {
    // A removed file would accept lines that nobody can ever read.
    let metadata = file.metadata()?;
    Ok(metadata.nlink() > 0 && metadata.len() + bytes as u64 <= LOG_FILE_BYTES_MAX)
}

/// Reads all lines, the oldest first. Lines that are not valid records are left out.
pub(crate) fn read(directory: &Path) -> io::Result<Vec<LogRecord>> {
    let mut records = Vec::new();
    for age in (0..=LOG_FILES_KEPT).rev() {
        let file = match fs::File::open(path(directory, age)) {
            // Files that were never filled do not exist, and a rotation may move one away at any time.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file?,
        };
        let mut text = Vec::new();
        // Other processes may still be writing. A file is never much longer than its limit.
        file.take(LOG_FILE_BYTES_MAX * 2).read_to_end(&mut text)?;
        let lines = text.split(|byte| *byte == b'\n');
        records.extend(lines.filter_map(|line| serde_json::from_slice::<LogRecord>(line).ok()));
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_stay_bounded_and_the_newest_lines_stay() {
        let home = tempfile::tempdir().unwrap();
        let record = |time_ms| LogRecord {
            time_ms: TimestampMs(time_ms),
            level: LogLevel::Info,
            pid: 1,
            command: "x".repeat(100_000),
            event: "ended".to_owned(),
            tool: None,
            run: None,
            session: None,
            code: None,
            took_ms: None,
            left_out: None,
        };
        // Two processes take turns, each with the file open that it wrote to last.
        let writers = [(); 2].map(|()| LogWriter::new(home.path().to_owned()));
        for time in 0..200 {
            writers[usize::from(time % 3 == 0)].append(&record(time)).unwrap();
        }
        let total: u64 = fs::read_dir(home.path())
            .unwrap()
            .map(|one| one.unwrap().metadata().unwrap().len())
            .sum();
        assert!(total <= LOG_FILE_BYTES_MAX * u64::from(LOG_FILES_KEPT + 1), "{total}");
        let read = read(home.path()).unwrap();
        let times: Vec<u64> = read.iter().map(|record| record.time_ms.get()).collect();
        let first = times[0];
        assert!(first > 0 && first < 120, "{first}");
        assert_eq!(times, (first..200).collect::<Vec<_>>());
    }
}
