//! Resolving links inside a Mount, for Workspaces that opted in.
//!
//! Links are resolved here, name by name, and the result is opened without following any. So the
//! kernel never follows a link, and what is judged by deny patterns and inner Workspaces is the path
//! that is opened.

use std::os::fd::OwnedFd;

use rustix::{fs::AtFlags, io::Errno};

use super::{errno::fault, list::kind_of, open::Root};
use crate::{
    bounds::LINKS_MAX,
    path::MountPath,
    store::{Fault, Kind},
};

impl Root {
    /// The path without links. Names that do not exist yet are kept.
    pub(super) fn resolve(&self, path: &MountPath) -> Result<MountPath, Fault> {
        let mut waiting: Vec<String> = path.names().map(str::to_owned).collect();
        waiting.reverse();
        let mut resolved: Vec<String> = Vec::new();
        let mut links = 0;
        while let Some(name) = waiting.pop() {
            if name == ".." {
                resolved.pop().ok_or(Fault::LinkLeadsOut)?;
                continue;
            }
            let directory = match self.directory(&joined(&resolved)?) {
                Ok(directory) => directory,
                Err(Fault::NotFound) => {
                    resolved.push(name);
                    continue;
                }
                Err(other) => return Err(other),
            };
            let Some(target) = link_target(&directory, &name)? else {
                resolved.push(name);
                continue;
            };
            links += 1;
            if links > LINKS_MAX {
                return Err(Fault::LinkLoop);
            }
            if target.starts_with('/') {
                return Err(Fault::LinkLeadsOut);
            }
            let names = target.split('/').filter(|name| !name.is_empty() && *name != ".");
            let names: Vec<String> = names.map(str::to_owned).collect();
            waiting.extend(names.into_iter().rev());
        }
        let resolved = joined(&resolved)?;
        if links > 0 && !self.exists(&resolved) {
            return Err(Fault::LinkLeadsOut);
        }
        Ok(resolved)
    }

    fn exists(&self, path: &MountPath) -> bool {
        let Ok((directory, name)) = self.parent(path) else {
            return path.is_root();
        };
        rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }
}

fn joined(names: &[String]) -> Result<MountPath, Fault> {
    names.join("/").parse().map_err(|_| Fault::LinkLeadsOut)
}

/// Where an entry leads, if it is a link.
fn link_target(directory: &OwnedFd, name: &str) -> Result<Option<String>, Fault> {
    let stat = match rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(fault(errno)),
    };
    if kind_of(&stat) != Kind::Link {
        return Ok(None);
    }
    let target = rustix::fs::readlinkat(directory, name, Vec::new()).map_err(fault)?;
    target.into_string().map(Some).map_err(|_| Fault::LinkLeadsOut)
}
