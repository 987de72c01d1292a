//! The calls of the system that a durable change cannot do without: its intention written ahead, the new file and its
//! name, each waited for.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    error::{Error, Result},
    measure::thread_cpu,
};

/// About as long as the record of an edit.
const INTENTION: [u8; 512] = [b'i'; 512];

/// A file that is replaced again and again by the bare calls.
pub(super) struct Bare {
    directory: PathBuf,
    intentions: File,
    content: Vec<u8>,
}

impl Bare {
    /// A file of the same content as `like`, in a directory of its own.
    pub(super) fn new(directory: PathBuf, like: &Path) -> Result<Self> {
        let content = fs::read(like).map_err(Error::io("read a file"))?;
        let intentions =
            OpenOptions::new().create(true).append(true).open(directory.join("intentions"));
        let intentions = intentions.map_err(Error::io("make a file"))?;
        Ok(Self { directory, intentions, content })
    }

    /// The CPU time of some changes.
    pub(super) fn spent(&mut self, changes: u32) -> Result<Duration> {
        let (done, time) = thread_cpu(|| (0..changes).try_for_each(|_| self.change()));
        done.map_err(Error::io("change a file"))?;
        Ok(time)
    }

    fn change(&mut self) -> io::Result<()> {
        self.intentions.write_all(&INTENTION)?;
        self.intentions.sync_data()?;
        let (temp, target) = (self.directory.join("temp"), self.directory.join("target"));
        let mut file = File::create_new(&temp)?;
        file.write_all(&self.content)?;
        file.sync_all()?;
        fs::rename(temp, target)?;
        File::open(&self.directory)?.sync_all()
    }
}
