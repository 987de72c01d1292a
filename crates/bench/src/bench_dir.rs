//! The directory for the files of the benchmarks: on a disk, never in memory.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{env, fs};

use rustix::fs::{major, minor, statfs, syncfs};
use tempfile::TempDir;

use crate::error::{Error, Result};

/// File systems that keep files in memory, by their magic number in `statfs`.
const IN_MEMORY: [(u32, &str); 2] = [(0x0102_1994, "tmpfs"), (0x8584_58f6, "ramfs")];

/// A directory for the files of one run, removed at its end.
pub(crate) struct BenchDir {
    directory: TempDir,
    /// File system and device, such as `ext4 on /dev/vda`.
    pub(crate) file_system: String,
}

impl BenchDir {
    /// Chooses a directory by the environment, and refuses one that is in memory.
    pub(crate) fn choose() -> Result<Self> {
        let base = base();
        fs::create_dir_all(&base).map_err(Error::io("make the directory for the files"))?;
        // In memory a sync costs nothing, so a ratio to the disk would be meaningless.
        if let Some(file_system) = in_memory(&base)? {
            return Err(Error::NotOnDisk { directory: base, file_system: file_system.to_owned() });
        }
        let directory = tempfile::Builder::new()
            .prefix("piton-bench-")
            .tempdir_in(&base)
            .map_err(Error::io("make a directory for the files"))?;
        let file_system = describe(&base).unwrap_or_else(|| "unknown".to_owned());
        Ok(Self { directory, file_system })
    }

    /// Creates a new directory in it. Parts that run together may use the same name.
    pub(crate) fn make(&self, name: &str) -> Result<PathBuf> {
        let made = tempfile::Builder::new().prefix(name).tempdir_in(self.directory.path());
        // Kept, since the directory around it is removed as a whole at the end.
        Ok(made.map_err(Error::io("make a directory"))?.keep())
    }

    /// Returns the directory of this name, which several measures share. `prepare` fills it for the first one.
    pub(crate) fn shared(
        &self,
        name: &str,
        prepare: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<PathBuf> {
        let path = self.directory.path().join(name);
        if !path.is_dir() {
            fs::create_dir(&path).map_err(Error::io("make a directory"))?;
            prepare(&path)?;
            self.sync()?;
        }
        Ok(path)
    }

    /// Waits until the prepared files are on disk, so that writing them back does not disturb the next measure.
    pub(crate) fn sync(&self) -> Result<()> {
        let directory =
            fs::File::open(self.directory.path()).map_err(Error::io("open a directory"))?;
        syncfs(directory).map_err(|errno| Error::io("sync the file system")(errno.into()))
    }
}

fn base() -> PathBuf {
    if let Some(chosen) = env::var_os("PITON_BENCH_DIR").filter(|chosen| !chosen.is_empty()) {
        return chosen.into();
    }
    let target = Path::new("target");
    if target.is_dir() { target.to_path_buf() } else { env::temp_dir() }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is 32 bits in a field whose width depends on the machine"
)]
fn in_memory(path: &Path) -> Result<Option<&'static str>> {
    let number = statfs(path)
        .map_err(|errno| Error::io("find out the file system")(errno.into()))?
        .f_type as u32;
    Ok(IN_MEMORY.iter().find(|(known, _)| *known == number).map(|(_, name)| *name))
}

/// Returns the type and the source of the mount that `path` is on, from `proc_pid_mountinfo(5)`.
fn describe(path: &Path) -> Option<String> {
    let device = fs::metadata(path).ok()?.dev();
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    mount_of(&mounts, &format!("{}:{}", major(device), minor(device)))
}

fn mount_of(mounts: &str, device: &str) -> Option<String> {
    mounts.lines().find_map(|line| {
        // The number of optional fields before the separator varies, so the type is found after it. The device is
        // third.
        let (bench_dir, what) = line.split_once(" - ")?;
        let mut fields = what.split(' ');
        (bench_dir.split(' ').nth(2)? == device)
            .then(|| Some(format!("{} on {}", fields.next()?, fields.next()?)))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_is_found_by_its_device() {
        let mounts =
            "22 1 254:0 / / rw - ext4 /dev/vda rw\n23 22 0:5 / /dev rw - devtmpfs none rw\n";
        assert_eq!(mount_of(mounts, "254:0").unwrap(), "ext4 on /dev/vda");
        assert_eq!(mount_of(mounts, "9:9"), None);
    }

    #[test]
    fn a_directory_in_memory_is_recognised() {
        // Shared memory is a tmpfs on every system that has it.
        let shared = Path::new("/dev/shm");
        if shared.is_dir() {
            assert_eq!(in_memory(shared).unwrap(), Some("tmpfs"));
        }
        assert_eq!(in_memory(Path::new("/proc")).unwrap(), None);
    }
}
