//! `ls` and `stat`

use std::collections::BTreeMap;
use std::fmt::Write as _;

use piton_core::TimestampMs;

use crate::bounds::{LIST_ENTRIES_MAX, NOTE_BYTES_MAX, REPLY_BYTES_MAX};
use crate::error::Error;
use crate::files::Files;
use crate::files::service::{parse, store_error};
use crate::path::LogicalPath;
use crate::scope::{AccessScope, Right, Tool};
use crate::store::{DirectoryListing, EntryKind, FileVersion, StoreFault};
use crate::tools::{LsRequest, StatRequest};

/// A line of the listing.
enum ListingLine {
    Entry(EntryKind, u64),
    Workspace(AccessScope),
    /// A directory that exists only because a Workspace lies below it.
    Above,
}

impl Files {
    /// Lists a directory, including the Workspaces in it.
    pub async fn ls(&self, request: LsRequest) -> Result<String, Error> {
        let path = parse(&request.path)?;
        let listing = self.entries(&path).await?;
        let mut lines: BTreeMap<String, ListingLine> = BTreeMap::new();
        for entry in listing.entries {
            lines.insert(entry.name, ListingLine::Entry(entry.kind, entry.bytes));
        }
        for inner in self.workspaces.below(&path) {
            let below = inner.prefix().below(&path).expect("it lies below");
            let mut names = below.names();
            let Some(name) = names.next() else {
                continue;
            };
            if names.next().is_none() {
                lines.insert(name.to_owned(), ListingLine::Workspace(inner.scope()));
            } else {
                lines.entry(name.to_owned()).or_insert(ListingLine::Above);
            }
        }
        Ok(render(&path, lines, listing.unusable))
    }

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

    /// Returns the entries of the Store, without hidden ones.
    async fn entries(&self, path: &LogicalPath) -> Result<DirectoryListing, Error> {
        let holds_others = path.is_root() || !self.workspaces.below(path).is_empty();
        if self.workspaces.find(path).is_none() && holds_others {
            return Ok(DirectoryListing::default());
        }
        let target = self.workspaces.permit(Tool::Ls, Right::Read, path)?;
        let target = self.located(target).await?;
        let mut listing = match target.workspace.store.list(target.at.clone()).await {
            Ok(listing) => listing,
            Err(StoreFault::NotFound) if holds_others => DirectoryListing::default(),
            Err(fault) => return Err(store_error(&target, fault)),
        };
        listing.entries.retain(|entry| {
            target
                .at
                .child(&entry.name)
                .is_ok_and(|below| !target.workspace.mask.hides_entry(&below))
        });
        Ok(listing)
    }
}

fn render(path: &LogicalPath, lines: BTreeMap<String, ListingLine>, unusable: u64) -> String {
    let total = lines.len();
    let mut text = String::new();
    let mut listed = 0;
    for (name, shown) in lines.into_iter().take(LIST_ENTRIES_MAX) {
        if text.len() + name.len() > REPLY_BYTES_MAX - NOTE_BYTES_MAX {
            break;
        }
        let _ = match shown {
            ListingLine::Entry(EntryKind::Directory, _) | ListingLine::Above => {
                writeln!(text, "{name}/")
            }
            ListingLine::Entry(EntryKind::File, bytes) => writeln!(text, "{name}\t{bytes}"),
            ListingLine::Entry(EntryKind::Link, _) => writeln!(text, "{name}\tlink"),
            ListingLine::Entry(EntryKind::Other, _) => writeln!(text, "{name}\tspecial"),
            ListingLine::Workspace(scope) => writeln!(text, "{name}/\t{scope} Workspace"),
        };
        listed += 1;
    }
    if total == 0 {
        let _ = writeln!(text, "[{path} is empty]");
    }
    if listed < total {
        let rest = total - listed;
        let _ = writeln!(text, "[{rest} more entries; find them with glob]");
    }
    if unusable > 0 {
        let _ = writeln!(text, "[{unusable} more with names that cannot be used here]");
    }
    text
}

/// Returns the description of a directory that exists because Workspaces lie below it.
fn above_all(path: &LogicalPath) -> String {
    format!("{path}: directory above Workspaces\n")
}
