//! `stat`

use std::fmt::Write as _;

use piton_core::TimestampMs;

use crate::error::Error;
use crate::files::Files;
use crate::files::service::{parse, store_error};
use crate::path::LogicalPath;
use crate::scope::{Right, Tool};
use crate::store::{EntryKind, FileVersion, StoreFault};
use crate::tools::StatRequest;

impl Files {
    /// Describes a path.
    pub async fn stat(&self, request: StatRequest) -> Result<String, Error> {
        let path = parse(&request.path)?;
        let above = !self.workspaces.below(&path).is_empty();
        if self.workspaces.find(&path).is_none() && above {
            return Ok(above_all(&path));
        }
        let target = self.workspaces.permit(Tool::Stat, Right::Read, &path)?;
        let target = self.located(target).await?;
        let stat = match target.workspace.store.stat(target.at.clone(), true).await {
            Err(StoreFault::NotFound) if above => {
                return Ok(above_all(&path));
            }
            stat => stat.map_err(|fault| store_error(&target, fault))?,
        };
        let mut text = match stat.kind {
            EntryKind::Directory => format!("{path}: directory"),
            EntryKind::File => format!("{path}: file, {} bytes", stat.bytes),
            EntryKind::Link => format!("{path}: link"),
            EntryKind::Other => format!("{path}: special"),
        };
        if let Some(digest) = &stat.digest {
            let _ = write!(text, ", version {}", FileVersion::of(digest));
        }
        if let Some(seconds) = stat.modified {
            let time = TimestampMs(seconds.saturating_mul(1_000)); // tidy: number: milliseconds of a second
            let _ = write!(text, ", modified {} UTC", time.utc());
        }
        let workspace = target.workspace;
        let _ = writeln!(text, ", in {} ({})", workspace.prefix(), workspace.scope());
        Ok(text)
    }
}

/// Returns the description of a directory that exists because Workspaces lie below it.
fn above_all(path: &LogicalPath) -> String {
    format!("{path}: directory above Workspaces\n")
}
