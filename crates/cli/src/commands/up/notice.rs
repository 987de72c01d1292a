//! The notice of a running server: `run/up.json` in the data directory.
#![expect(clippy::disallowed_methods, reason = "writes and removes the file")]

use std::{
    fs,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::bounds::NOTICE_BYTES_MAX;
use crate::{failure::Failure, files};

/// A running server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServerNotice {
    pub(super) pid: u32,
    pub(super) url: String,
}

/// The notice of this process. Dropping it removes the file.
pub(super) struct Posted(PathBuf);

impl ServerNotice {
    /// Reads the notice of a data directory's server, if there is a valid one.
    pub(super) fn read(root: &Path) -> Option<Self> {
        let text = files::read_if_there(&path(root), NOTICE_BYTES_MAX).ok()??;
        serde_json::from_str(&text).ok()
    }

    /// Publishes that this server runs.
    pub(super) fn post(&self, root: &Path) -> Result<Posted, Failure> {
        let path = path(root);
        let directory = path.parent().unwrap_or(root);
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(Failure::io(format!("make {}", directory.display())))?;
        let text = serde_json::to_vec(self).expect("it is made of a number and a text");
        // Atomic, so that another process never reads half a notice.
        files::write(&path, &text, true)?;
        Ok(Posted(path))
    }
}

impl Drop for Posted {
    fn drop(&mut self) {
        // A notice that stays is overwritten by the next server, and is not trusted without the lease.
        let _ = fs::remove_file(&self.0);
    }
}

fn path(root: &Path) -> PathBuf {
    root.join("run/up.json")
}
