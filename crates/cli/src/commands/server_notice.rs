//! One server of a kind for each data directory: the lease that decides which, and the notice that says where it listens.
//!
//! *Invariants*: the lease decides. The notice, `run/NAME.json`, only says where the holder listens: a crash drops the
//! lease but leaves a notice behind.

use std::path::{Path, PathBuf};

use piton_core::{Code, Envelope};
use piton_store::port::{Lease, Mode, Patience};
use piton_store::{Error, LeaseName};
use serde::{Deserialize, Serialize};

use crate::bounds::NOTICE_BYTES_MAX;
use crate::failure::Failure;
use crate::files;
use crate::open::Open;

/// The notice of a running server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServerNotice {
    pub(super) pid: u32,
    pub(super) url: String,
}

/// A server that is already running, or the right to be that server.
pub(super) enum ServerTurn {
    Free(Lease),
    Running(ServerNotice),
}

/// The notice of this process. Dropping it removes the file.
pub(super) struct Posted(PathBuf);

impl ServerTurn {
    /// Takes the right to serve this data directory as `name`, unless another process has it.
    pub(super) fn take(open: &Open, name: &str) -> Result<Self, Failure> {
        let lease: LeaseName = name.parse().expect("it is a name");
        // No waiting: a holder keeps the lease for as long as it serves.
        let leases = &open.adapters.ports.leases;
        match open.block_on(leases.acquire(&lease, Mode::Exclusive, Patience::FailFast)) {
            Ok(lease) => return Ok(Self::Free(lease)),
            Err(Error::Busy { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        // The notice appears after the lease is taken and goes before it is dropped, so without one the other server is
        // just starting or stopping.
        ServerNotice::read(open.root(), name).map(Self::Running).ok_or_else(|| {
            let message = format!("Another `piton {name}` is about to serve this data directory.");
            let advice = "Run the command again to see its address.";
            Envelope::new(Code::StoreBusy, message).with_suggestion(advice).into()
        })
    }
}

impl ServerNotice {
    fn path(root: &Path, name: &str) -> PathBuf {
        root.join(format!("run/{name}.json"))
    }

    /// Reads the notice of a data directory's server, if there is a valid one.
    fn read(root: &Path, name: &str) -> Option<Self> {
        let text = files::read_if_there(&Self::path(root, name), NOTICE_BYTES_MAX).ok()??;
        serde_json::from_str(&text).ok()
    }

    /// Publishes that this server runs.
    pub(super) fn post(&self, root: &Path, name: &str) -> Result<Posted, Failure> {
        let path = Self::path(root, name);
        files::make_directory(path.parent().unwrap_or(root))?;
        let text = serde_json::to_vec(self).expect("it is made of a number and a text");
        // Atomic, so that another process never reads half a notice.
        files::write(&path, &text, true)?;
        Ok(Posted(path))
    }
}

impl Drop for Posted {
    fn drop(&mut self) {
        // A notice that stays is overwritten by the next server, and is not trusted without the lease.
        let _ = files::remove(&self.0);
    }
}
