//! Link resolution inside a Mount, for Workspaces that opted in.
//!
//! Links are resolved here, name by name, and the result is opened without following any. So the kernel never follows a
//! link, and deny patterns and inner Workspaces are applied to the very path that is opened.

use std::os::fd::OwnedFd;

use rustix::io::Errno;

use super::list::kind_of;
use super::open::{Root, stat_in};
use crate::bounds::LINKS_MAX;
use crate::path::MountPath;
use crate::store::{EntryKind, StoreFault};

impl Root {
    /// Returns the path with all links resolved. Names that do not exist yet are kept.
    pub(super) fn resolve(&self, path: &MountPath) -> Result<MountPath, StoreFault> {
        // A stack of the names still to resolve, each with a flag that a link supplied it: the target of a link has to
        // exist, a name in the request does not.
        let mut waiting: Vec<(String, bool)> =
            path.names().map(|name| (name.to_owned(), false)).collect();
        waiting.reverse();
        let mut resolved: Vec<String> = Vec::new();
        let mut links = 0;
        while let Some((name, by_link)) = waiting.pop() {
            // Only link targets contain `..`. Popping from the resolved path keeps it inside the Mount, and stepping
            // above the Mount is an error instead of a no-op.
            if name == ".." {
                resolved.pop().ok_or(StoreFault::LinkLeadsOut)?;
                continue;
            }
            let directory = match self.directory(&joined(&resolved)?) {
                Ok(directory) => directory,
                Err(StoreFault::NotFound) if by_link => return Err(StoreFault::LinkLeadsOut),
                // The caller may create this directory: the remaining names are kept as they are.
                Err(StoreFault::NotFound) => {
                    resolved.push(name);
                    continue;
                }
                Err(other) => return Err(other),
            };
            let target = match entry(&directory, &name)? {
                LinkEntry::Link(target) => target,
                LinkEntry::Missing if by_link => return Err(StoreFault::LinkLeadsOut),
                LinkEntry::Missing | LinkEntry::Plain => {
                    resolved.push(name);
                    continue;
                }
            };
            links += 1;
            if links > LINKS_MAX {
                return Err(StoreFault::LinkLoop);
            }
            // An absolute target would be resolved against the root of the machine.
            if target.starts_with('/') {
                return Err(StoreFault::LinkLeadsOut);
            }
            // Names of the target are resolved in turn, so a link may lead through other links.
            let names = target.split('/').filter(|name| !name.is_empty() && *name != ".");
            let names: Vec<_> = names.map(|name| (name.to_owned(), true)).collect();
            waiting.extend(names.into_iter().rev());
        }
        joined(&resolved)
    }
}

fn joined(names: &[String]) -> Result<MountPath, StoreFault> {
    names.join("/").parse().map_err(|_| StoreFault::LinkLeadsOut)
}

/// An entry of a directory as link resolution sees it.
enum LinkEntry {
    Missing,
    Plain,
    Link(String),
}

fn entry(directory: &OwnedFd, name: &str) -> Result<LinkEntry, StoreFault> {
    let stat = match stat_in(directory, name) {
        Err(Errno::NOENT) => return Ok(LinkEntry::Missing),
        stat => stat?,
    };
    if kind_of(&stat) != EntryKind::Link {
        return Ok(LinkEntry::Plain);
    }
    let target = rustix::fs::readlinkat(directory, name, Vec::new())?;
    target.into_string().map(LinkEntry::Link).map_err(|_| StoreFault::LinkLeadsOut)
}
