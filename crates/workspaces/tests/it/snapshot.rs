//! Everything that a directory or a Store holds, to compare it with what it holds later.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use piton_workspaces::path::MountPath;
use piton_workspaces::store::Store;

/// What is compared of a file's bytes; a longer one is told from another by its length and its time, too.
const COMPARED_BYTES_MAX: u64 = 64 << 10;

/// Every path below a directory with its kind, permissions, time and content; links are not followed. A directory's
/// time is left out: a refused write makes and removes directories.
pub(crate) fn tree(directory: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![directory.to_path_buf()];
    while let Some(path) = waiting.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(directory).unwrap().to_string_lossy().into_owned();
        let mode = metadata.mode();
        let content = if metadata.is_dir() {
            for entry in fs::read_dir(&path).into_iter().flatten() {
                waiting.push(entry.unwrap().path());
            }
            String::new()
        } else if metadata.is_file() {
            format!("{:?}", beginning(&path))
        } else if metadata.is_symlink() {
            fs::read_link(&path).unwrap().display().to_string()
        } else {
            String::new()
        };
        let (length, time) = if metadata.is_dir() {
            (0, (0, 0))
        } else {
            (metadata.len(), (metadata.mtime(), metadata.mtime_nsec()))
        };
        found.insert(name, format!("{mode:o} {length} {time:?} {content}"));
    }
    found
}

/// The first bytes of a file, if it can be read.
fn beginning(path: &PathBuf) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).ok()?;
    file.take(COMPARED_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Every file of a Store with its content; what cannot be listed or read stands there as its fault.
pub(crate) async fn store_tree(store: &dyn Store) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![MountPath::root()];
    while let Some(path) = waiting.pop() {
        let listing = match store.list(path.clone()).await {
            Ok(listing) => listing,
            Err(fault) => {
                found.insert(format!("{path}/"), format!("{fault:?}"));
                continue;
            }
        };
        for entry in listing.entries {
            let below = path.child(&entry.name).unwrap();
            let stat = store.stat(below.clone(), true).await;
            let digest = stat.map(|stat| stat.digest);
            found.insert(below.to_string(), format!("{:?} {digest:?}", entry.kind));
            if digest == Ok(None) {
                waiting.push(below);
            }
        }
    }
    found
}
