//! The files of the logs: one that is written, and a few full ones.
//!
//! *Limitations*: two processes that find the file full at the same moment may both begin a new one. Then a kept
//! file is short; nothing else comes of it.
#![expect(clippy::disallowed_methods, reason = "the adapter that writes logs")]

use std::{
    fs,
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::record::LogRecord;
use crate::bounds::{LOG_FILE_BYTES_MAX, LOG_FILES_KEPT};

/// Where the files lie, below the data directory.
pub(crate) const DIRECTORY: &str = "logs";

/// The file of an age: 0 is written, the others are full.
fn path(directory: &Path, age: u32) -> PathBuf {
    match age {
        0 => directory.join("piton.jsonl"),
        age => directory.join(format!("piton.{age}.jsonl")),
    }
}

/// The file that is written, held open between lines.
#[derive(Debug)]
pub(super) struct LogWriter {
    directory: PathBuf,
    file: Mutex<Option<fs::File>>,
}

impl LogWriter {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self { directory, file: Mutex::default() }
    }

    /// Appends a line, in one write: lines of several processes do not mix.
    pub(super) fn append(&self, record: &LogRecord) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let mut held = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match held.take() {
            // One that others filled, put aside or removed is left to them.
            Some(file) if has_room(&file, line.len())? => file,
            _ => self.opened(line.len())?,
        };
        held.insert(file).write_all(&line)
    }

    /// The file to write, with room for a line.
    fn opened(&self, bytes: usize) -> io::Result<fs::File> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        let current = path(&self.directory, 0);
        let open = || fs::OpenOptions::new().append(true).create(true).mode(0o600).open(&current);
        let file = open()?;
        if has_room(&file, bytes)? {
            return Ok(file);
        }
        for age in (0..LOG_FILES_KEPT).rev() {
            let _ = fs::rename(path(&self.directory, age), path(&self.directory, age + 1));
        }
        open()
    }
}

/// Whether a file that still has a name takes so many bytes more.
fn has_room(file: &fs::File, bytes: usize) -> io::Result<bool> {
    let metadata = file.metadata()?;
    Ok(metadata.nlink() > 0 && metadata.len() + bytes as u64 <= LOG_FILE_BYTES_MAX)
}

/// Every line there is, the oldest first. What is not a line of ours is left out.
pub(crate) fn read(directory: &Path) -> io::Result<Vec<LogRecord>> {
    let mut records = Vec::new();
    for age in (0..=LOG_FILES_KEPT).rev() {
        let file = match fs::File::open(path(directory, age)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file?,
        };
        let mut text = Vec::new();
        // Others may go on writing; a file is never much longer than its bound.
        file.take(LOG_FILE_BYTES_MAX * 2).read_to_end(&mut text)?;
        let lines = text.split(|byte| *byte == b'\n');
        records.extend(lines.filter_map(|line| serde_json::from_slice::<LogRecord>(line).ok()));
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use piton_core::TimestampMs;
    use piton_runtime::config::LogLevel;

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
