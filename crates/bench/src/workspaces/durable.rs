//! The system calls that a durable change cannot do without: writing its intention ahead, then the new file and its
//! name, each with a sync.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::measure::thread_cpu;

/// About as long as the record of an edit.
const INTENTION: [u8; 512] = [b'i'; 512];

/// A file that is replaced again and again by the bare calls.
pub(super) struct Bare {
    directory: PathBuf,
    intentions: File,
    content: Vec<u8>,
}

impl Bare {
    /// Creates a file with the same content as `like`, in a directory of its own.
    pub(super) fn new(directory: PathBuf, like: &Path) -> Result<Self> {
        let content = fs::read(like).map_err(Error::io("read a file"))?;
        let intentions =
            OpenOptions::new().create(true).append(true).open(directory.join("intentions"));
        let intentions = intentions.map_err(Error::io("make a file"))?;
        Ok(Self { directory, intentions, content })
    }

    /// Measures the CPU time of some changes.
    pub(super) fn spent(&mut self, changes: u32) -> Result<Duration> {
        let (done, time) = thread_cpu(|| (0..changes).try_for_each(|_| self.change()));
        done.map_err(Error::io("change a file"))?;
        Ok(time)
    }

    fn change(&mut self) -> io::Result<()> {
        // The intention is durable before the file changes.
        self.intentions.write_all(&INTENTION)?;
        self.intentions.sync_data()?;
        let (temp, target) = (self.directory.join("temp"), self.directory.join("target"));
        // A reader sees the old file or the whole new one, and the rename is durable once the directory is synced.
        let mut file = File::create_new(&temp)?;
        file.write_all(&self.content)?;
        file.sync_all()?;
        fs::rename(temp, target)?;
        File::open(&self.directory)?.sync_all()
    }
}
