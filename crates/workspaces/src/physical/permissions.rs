//! Ownership and permissions of a file, carried over to the file that replaces it.
//!
//! *Invariants*: nobody gains access. The set-user-id and set-group-id bits are not carried over.
//!
//! *Limitations*: other extended attributes are not carried over.

use std::fs::File;

use rustix::fs::{Gid, Mode, Stat, Uid, XattrFlags};
use rustix::io::Errno;

use crate::bounds::ACCESS_LIST_BYTES_MAX;
use crate::store::StoreFault;

/// Owner, group, mode and access control list of a file.
pub(super) struct Permissions {
    owner: Uid,
    group: Gid,
    mode: Mode,
    /// POSIX access control list, if the file has one. With a list, the group bits of the mode hold the mask instead of
    /// the rights of the owning group, so the mode alone would change those rights.
    list: Option<Vec<u8>>,
}

const ACCESS_LIST: &str = "system.posix_acl_access";

impl Permissions {
    /// Reads the permissions of an open file, without its set-user-id and set-group-id bits.
    pub(super) fn of(file: &File, stat: &Stat) -> Result<Self, StoreFault> {
        let mode = Mode::from_raw_mode(stat.st_mode & 0o777);
        let (owner, group) = (Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid));
        let mut list = vec![0; ACCESS_LIST_BYTES_MAX];
        let list = match rustix::fs::fgetxattr(file, ACCESS_LIST, &mut list) {
            Ok(bytes) => Some(list[..bytes].to_vec()),
            Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => None,
            // Other systems store access control lists elsewhere; Piton does not carry those over.
            Err(_) if cfg!(not(target_os = "linux")) => None,
            Err(errno) => return Err(errno.into()),
        };
        Ok(Self { owner, group, mode, list })
    }

    /// Applies the permissions to a file that was just created.
    pub(super) fn give(&self, file: &File) -> Result<(), StoreFault> {
        if !self.give_to_group(file)? {
            // The list would grant the rights of the old owning group to the group that the file has now.
            return Ok(rustix::fs::fchmod(file, for_no_group(self.mode))?);
        }
        // The mode before the list: setting the mode afterwards would overwrite the mask of the list.
        rustix::fs::fchmod(file, self.mode)?;
        let Some(list) = &self.list else { return Ok(()) };
        Ok(rustix::fs::fsetxattr(file, ACCESS_LIST, list, XattrFlags::empty())?)
    }

    /// Restores the owner and the group of the file as far as this process may. Returns true if the group was restored.
    /// Only root can give a file to another user; others can give it to a group that they belong to.
    fn give_to_group(&self, file: &File) -> Result<bool, StoreFault> {
        let made = rustix::fs::fstat(file)?;
        let give =
            |owner: Option<Uid>, group: Option<Gid>| match rustix::fs::fchown(file, owner, group) {
                Ok(()) => Ok(true),
                Err(Errno::PERM | Errno::INVAL) => Ok(false),
                Err(errno) => Err(errno),
            };
        let has_group = made.st_gid == self.group.as_raw() || give(None, Some(self.group))?;
        if made.st_uid != self.owner.as_raw() {
            give(Some(self.owner), None)?;
        }
        Ok(has_group)
    }
}

/// Makes a file executable for everyone who may read it, or for nobody.
pub(super) fn make_executable(file: &File, executable: bool) -> Result<(), StoreFault> {
    let stat = rustix::fs::fstat(file)?;
    let mode = Mode::from_raw_mode(stat.st_mode & 0o777);
    Ok(rustix::fs::fchmod(file, with_execution(mode, executable))?)
}

fn with_execution(mode: Mode, executable: bool) -> Mode {
    // Each read bit is two positions above the execute bit of the same class.
    let readers = (mode & (Mode::RUSR | Mode::RGRP | Mode::ROTH)).as_raw_mode();
    let runners = Mode::from_raw_mode(readers >> 2);
    if executable { mode | runners } else { mode - (Mode::XUSR | Mode::XGRP | Mode::XOTH) }
}

/// Returns the mode for a file that lost its group: its current group gets the rights of everyone else.
fn for_no_group(mode: Mode) -> Mode {
    let others = mode & Mode::RWXO;
    (mode - Mode::RWXG) | Mode::from_raw_mode(others.as_raw_mode() << 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_may_read_a_program_may_run_it() {
        for (mode, program, none) in
            [(0o644, 0o755, 0o644), (0o600, 0o700, 0o600), (0o750, 0o750, 0o640)]
        {
            let mode = Mode::from_raw_mode(mode);
            assert_eq!(with_execution(mode, true), Mode::from_raw_mode(program));
            assert_eq!(with_execution(mode, false), Mode::from_raw_mode(none));
        }
    }

    #[test]
    fn a_group_that_gets_a_file_by_chance_may_do_what_everybody_may() {
        for (mode, left) in [(0o660, 0o600), (0o664, 0o644), (0o775, 0o755), (0o607, 0o677)] {
            assert_eq!(for_no_group(Mode::from_raw_mode(mode)), Mode::from_raw_mode(left));
        }
    }
}
