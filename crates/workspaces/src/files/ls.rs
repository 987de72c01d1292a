//! `ls`

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::bounds::{LIST_ENTRIES_MAX, NOTE_BYTES_MAX, REPLY_BYTES_MAX};
use crate::error::Error;
use crate::files::Files;
use crate::files::service::{parse, store_error};
use crate::path::LogicalPath;
use crate::scope::{AccessScope, Right, Tool};
use crate::store::{DirectoryListing, EntryKind, StoreFault};
use crate::tools::LsRequest;

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
