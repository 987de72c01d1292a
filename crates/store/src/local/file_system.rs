//! Detects the file system that a data directory lies on.
//!
//! The store needs locks that hold between processes and syncs that reach the medium. Network file systems promise
//! neither reliably, so they are refused before anything is written.
//!
//! Limitations: a file system is judged by its kind. One in user space (FUSE) is judged by the name that it was mounted
//! under, and treated as local if that name is not known.
#![expect(
    clippy::disallowed_methods,
    reason = "looks at the file system before there is a disk to go through"
)]

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

use rustix::fs::{major, minor, statfs};

use crate::Error;

/// Kind of a file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileSystem {
    /// On this machine.
    Local,
    /// Reached over a network, with its name.
    Network(String),
}

/// Magic number that `statfs` returns for a file system in user space.
const FUSE: u32 = 0x6573_5546;

/// Magic numbers that `statfs` returns for file systems that are always on a network.
const NETWORK: [(u32, &str); 9] = [
    (0x6969, "NFS"),
    (0x517B, "SMB"),
    (0xFF53_4D42, "CIFS"),
    (0xFE53_4D42, "SMB2"),
    (0x5346_414F, "AFS"),
    (0x00C3_6400, "Ceph"),
    (0x0102_1997, "9p"),
    (0x0BD0_0BD0, "Lustre"),
    (0x7375_7245, "Coda"),
];

/// Programs that mount a network in user space.
const NETWORK_FUSE: [&str; 21] = [
    "afpfs",
    "blobfuse",
    "blobfuse2",
    "ceph-fuse",
    "cifs",
    "curlftpfs",
    "davfs",
    "davfs2",
    "gcsfuse",
    "geesefs",
    "glusterfs",
    "goofys",
    "juicefs",
    "mount-s3",
    "mountpoint-s3",
    "nfs",
    "rclone",
    "s3fs",
    "smbnetfs",
    "sshfs",
    "webdavfs",
];

/// Creates the data directory and missing directories above it, accessible to their owner only.
pub(super) fn create_root(root: &Path) -> Result<(), Error> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(root)
        .map_err(Error::io("make the data directory"))
}

/// Returns the kind of file system that `path` lies on.
pub(super) fn detect(path: &Path) -> Result<FileSystem, Error> {
    let look = || -> io::Result<FileSystem> {
        let magic = magic(path)?;
        if magic != FUSE {
            return Ok(decide(magic, None));
        }
        let device = fs::metadata(path)?.dev();
        // Without /proc nothing is known about the mount, which is treated like an unknown name.
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        Ok(decide(magic, mount_on(&mounts, major(device), minor(device))))
    };
    look().map_err(Error::io("find out the data directory's file system"))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is 32 bits in a field whose width depends on the machine"
)]
fn magic(path: &Path) -> io::Result<u32> {
    Ok(statfs(path)?.f_type as u32)
}

/// A mount, as the kernel lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mount<'a> {
    /// The type, such as `fuse.sshfs`.
    kind: &'a str,
    /// The mounted thing, such as `host:/directory`.
    source: &'a str,
}

/// Finds a device in the kernel's list of mounts (`proc_pid_mountinfo(5)`).
fn mount_on(mounts: &str, major: u32, minor: u32) -> Option<Mount<'_>> {
    let device = format!("{major}:{minor}");
    mounts.lines().find_map(|line| {
        let (place, what) = line.split_once(" - ")?;
        if place.split(' ').nth(2) != Some(device.as_str()) {
            return None;
        }
        let mut fields = what.split(' ');
        Some(Mount { kind: fields.next()?, source: fields.next().unwrap_or_default() })
    })
}

/// Decides by the magic number from `statfs`, and for a file system in user space by its mount.
fn decide(magic: u32, mount: Option<Mount<'_>>) -> FileSystem {
    if let Some((_, name)) = NETWORK.iter().find(|(known, _)| *known == magic) {
        return FileSystem::Network((*name).to_owned());
    }
    match mount.filter(|_| magic == FUSE).and_then(network_program) {
        Some(name) => FileSystem::Network(name.to_owned()),
        None => FileSystem::Local,
    }
}

/// Returns the program that mounted a network, if one did.
fn network_program(mount: Mount<'_>) -> Option<&str> {
    let named = mount.kind.strip_prefix("fuse.").unwrap_or(mount.kind);
    // Older programs put their name in front of the source: `sshfs#host:/directory`.
    let in_source = mount.source.split_once('#').map_or(mount.source, |(program, _)| program);
    let known = |name: &&str| NETWORK_FUSE.contains(name);
    [named, in_source].into_iter().find(known).or_else(|| {
        // davfs2 is mounted as plain `fuse`, and its source is the address.
        let address = mount.source.contains("://");
        address.then_some("web")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
31 22 0:27 / /home/a\\040b rw,nosuid shared:9 master:2 - fuse.sshfs host:/srv rw,user_id=0
32 22 0:28 / /mnt/dav rw - fuse https://example.org/dav rw
33 22 0:29 / /mnt/old rw - fuse sshfs#host:/srv rw
34 22 0:30 / /mnt/merged rw - fuse.mergerfs a:b rw
35 22 8:17 / /mnt/stick rw - fuseblk /dev/sdb1 rw
broken line
";

    fn network(name: &str) -> FileSystem {
        FileSystem::Network(name.to_owned())
    }

    #[test]
    fn kernel_file_systems_are_told_apart_by_their_number() {
        for (magic, name) in NETWORK {
            assert_eq!(decide(magic, None), network(name));
        }
        // ext4, XFS, btrfs, tmpfs, ZFS, overlayfs.
        for magic in [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x2FC1_2FC1, 0x794C_7630] {
            assert_eq!(decide(magic, None), FileSystem::Local, "{magic:#x}");
        }
    }

    #[test]
    fn a_file_system_in_user_space_is_told_apart_by_its_mount() {
        let cases = [
            (0, 27, network("sshfs")),
            (0, 28, network("web")),
            (0, 29, network("sshfs")),
            (0, 30, FileSystem::Local),
            (8, 17, FileSystem::Local),
            (0, 99, FileSystem::Local),
        ];
        for (major, minor, expected) in cases {
            assert_eq!(decide(FUSE, mount_on(MOUNTS, major, minor)), expected, "{major}:{minor}");
        }
        for program in NETWORK_FUSE {
            let kind = format!("fuse.{program}");
            let mount = Mount { kind: &kind, source: "x" };
            assert_eq!(decide(FUSE, Some(mount)), network(program));
        }
    }

    #[test]
    fn a_mount_counts_only_for_file_systems_in_user_space() {
        let mount = mount_on(MOUNTS, 0, 27);
        assert_eq!(mount, Some(Mount { kind: "fuse.sshfs", source: "host:/srv" }));
        assert_eq!(decide(0xEF53, mount), FileSystem::Local);
    }

    #[test]
    fn the_kernel_answers_for_a_directory_of_its_own() {
        // procfs certainly exists, is certainly not on a network, and has a fixed number.
        assert_eq!(magic(Path::new("/proc")).unwrap(), 0x9fa0);
        assert_eq!(detect(Path::new("/proc")).unwrap(), FileSystem::Local);
        assert!(detect(Path::new("/no/such/directory")).is_err());
    }
}
