//! Decides whether a directory may become a data directory.
//!
//! A mistyped path must not turn a directory that is in use into a data directory: Piton empties `trash`, and lists
//! what lies in `sessions`.
//!
//! *Limitations*: a directory without `format.json` is judged only by the names in it. Hidden names are ignored: the
//! home directory of a service has some, and none is in the way.

use std::io;
use std::path::Path;

use super::disk::Disk;
use crate::Error;

/// Names in a data directory: what the store keeps there, and what the program keeps beside it.
const OURS: [&str; 18] = [
    "artifacts",
    "backpacks",
    "backups",
    "blobs",
    "damaged",
    "demo",
    "format.json",
    "format.json.new",
    "keys",
    "leases",
    "logs",
    "run",
    "sessions",
    "snapshots",
    "stamps",
    "table.sqlite3",
    "trash",
    "workflows",
];

/// Prefix of the files that SQLite keeps beside its database.
const BESIDE_THE_TABLE: &str = "table.sqlite3-";

/// Directory that a file system keeps at its top level.
const OF_THE_FILE_SYSTEM: &str = "lost+found";

/// Refuses a directory that is neither empty nor a data directory. Touches nothing.
pub(super) fn check(disk: &dyn Disk, root: &Path) -> Result<(), Error> {
    let foreign = || -> io::Result<Option<String>> {
        if disk.stat(&root.join("format.json"))?.is_some() {
            return Ok(None);
        }
        Ok(disk.list(root)?.into_iter().filter(|name| !is_ours(name)).min())
    };
    match foreign().map_err(Error::io("look at the data directory"))? {
        Some(name) => Err(Error::ForeignDirectory { name: name.escape_debug().to_string() }),
        None => Ok(()),
    }
}

fn is_ours(name: &str) -> bool {
    OURS.contains(&name)
        || name.starts_with(BESIDE_THE_TABLE)
        || name.starts_with('.')
        || name == OF_THE_FILE_SYSTEM
}
