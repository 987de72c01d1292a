//! Damaged key rings, tables and blobs that repairs keep.

use std::io;
use std::path::PathBuf;

use super::DataDir;
use super::file_ops::{names_in, tree_size};
use crate::Error;

/// Damaged data that a repair moved elsewhere in the data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedKept {
    /// Path relative to the data directory.
    pub place: String,
    pub files: u64,
    pub bytes: u64,
}

/// Lists the damaged keyrings, tables and blobs that repairs keep, by path. Data taken out of streams is kept beside
/// those streams and is not listed. Blocks.
pub fn list_damaged(dir: &DataDir) -> Result<Vec<DamagedKept>, Error> {
    let look = || -> io::Result<Vec<DamagedKept>> {
        let disk = dir.disk().as_ref();
        let ring = dir.keyring();
        let keys = ring.parent().expect("the ring lies in a directory");
        let mut places = Vec::new();
        let rings = names_in(disk, keys)?.into_iter();
        places.extend(rings.filter(|name| name.contains(".damaged-")).map(|name| keys.join(name)));
        for name in names_in(disk, &dir.damaged())? {
            let place = dir.damaged().join(&name);
            if name.starts_with("table") {
                places.push(place);
            } else {
                // Blobs lie in one directory per namespace.
                places.extend(names_in(disk, &place)?.into_iter().map(|name| place.join(name)));
            }
        }
        places.sort_unstable();
        let describe = |path: PathBuf| {
            let (files, bytes) = tree_size(disk, &path)?;
            let place = path.strip_prefix(dir.root()).unwrap_or(&path).display().to_string();
            Ok(DamagedKept { place, files, bytes })
        };
        places.into_iter().map(describe).collect()
    };
    look().map_err(Error::io("look at what was set aside"))
}
