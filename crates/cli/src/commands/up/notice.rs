//! Where others read that a server runs: `run/up.json` in the data directory.
#![expect(clippy::disallowed_methods, reason = "writes and removes the file")]

use std::{
    fs,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::bounds::NOTICE_BYTES_MAX;
use crate::{failure::Failure, files};

/// A server that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServerNotice {
    /// Its process.
    pub(super) pid: u32,
    /// Where agents reach it.
    pub(super) url: String,
}

/// The notice of this process, which is taken away when the server ends.
pub(super) struct Posted(PathBuf);

impl ServerNotice {
    /// The notice of the server of a data directory, if one can be read.
    pub(super) fn read(root: &Path) -> Option<Self> {
        let text = files::read_if_there(&path(root), NOTICE_BYTES_MAX).ok()??;
        serde_json::from_str(&text).ok()
    }

    /// Says that this server runs.
    pub(super) fn post(&self, root: &Path) -> Result<Posted, Failure> {
        let path = path(root);
        let directory = path.parent().unwrap_or(root);
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(Failure::io(format!("make {}", directory.display())))?;
        let text = serde_json::to_vec(self).expect("it is made of a number and a text");
        files::write(&path, &text, true)?;
        Ok(Posted(path))
    }
}

impl Drop for Posted {
    fn drop(&mut self) {
        // One that stays is overwritten by the next server; nobody believes it without the lease.
        let _ = fs::remove_file(&self.0);
    }
}

fn path(root: &Path) -> PathBuf {
    root.join("run/up.json")
}
