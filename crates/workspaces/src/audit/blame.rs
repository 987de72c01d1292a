//! Who changed a file, and whether somebody did who left no record.

use std::collections::BTreeSet;

use piton_core::Digest;

use super::{
    ledger::Ledger,
    left_content::LeftContent,
    record::{AuditIntent, AuditOutcome, AuditRecord},
};
use crate::{
    bounds::{BLAME_MOVES_MAX, BLAME_RECORDS_MAX},
    error::Error,
    files::Actor,
    path::LogicalPath,
    scope::Tool,
    store::{Before, EntryKind, StoreFault},
    workspaces::Workspaces,
};

/// The history of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBlame {
    /// The newest records that name it or a directory above it, oldest first. Before a record that copied or moved
    /// it there stand those of where it came from.
    pub records: Vec<AuditRecord>,
    /// How many older records there are.
    pub older: usize,
    /// Whether the file is not as the last of these left it: it was changed outside Piton.
    pub changed_outside: bool,
    /// Whether it is not as the last of these left it because it was lost to damage.
    pub lost: bool,
}

impl Ledger {
    /// The history of a file: its own records, and moves and removals of directories above it.
    pub async fn blame(
        &self,
        workspaces: &Workspaces,
        path: &LogicalPath,
    ) -> Result<FileBlame, Error> {
        let (records, older) = self.newest(workspaces, path, BLAME_RECORDS_MAX).await?;
        let differs = self.changed_outside(workspaces, path, older).await?;
        let lost = differs && !records.is_empty() && has_lost(workspaces, path).await;
        Ok(FileBlame { records, older, changed_outside: differs && !lost, lost })
    }

    /// The newest record of a file, or of a directory above it that was moved or removed.
    pub async fn last(
        &self,
        workspaces: &Workspaces,
        path: &LogicalPath,
    ) -> Result<Option<AuditRecord>, Error> {
        let (mut records, _) = self.newest(workspaces, path, 1).await?;
        Ok(records.pop())
    }

    /// The files that should be there by their records, and were lost to damage.
    pub(super) async fn lost(&self, workspaces: &Workspaces) -> Result<Vec<LogicalPath>, Error> {
        let mut paths = BTreeSet::new();
        for number in self.all_numbers().await? {
            // A record that cannot be read is found by a check of its own.
            let Ok(Some(record)) = self.record(number).await else { continue };
            paths.insert(record.intent.path);
            paths.extend(record.intent.target);
        }
        let mut lost = Vec::new();
        for path in paths {
            if self.blame(workspaces, &path).await.is_ok_and(|blame| blame.lost) {
                lost.push(path);
            }
        }
        Ok(lost)
    }

    /// Who changed a file in an overlay since it was copied from what has this digest, the last one first and each
    /// once. Whoever moved or copied it there counts, and whoever changed it before that.
    pub async fn authors(
        &self,
        path: &LogicalPath,
        base: Option<Digest>,
        max: usize,
    ) -> Result<Vec<Actor>, Error> {
        let mut path = path.clone();
        let mut authors: Vec<Actor> = Vec::new();
        let (mut numbers, _) = self.named(&path).await?;
        for _ in 0..BLAME_RECORDS_MAX {
            let Some(number) = numbers.pop().filter(|_| authors.len() < max) else { break };
            let Some(record) = self.record(number).await? else { continue };
            let AuditIntent { actor, tool, path: from, target, before, origin, .. } = record.intent;
            let moved = target.as_ref().and_then(|target| path.below(target));
            let is_own = from == path || moved.is_some() || before == Before::Directory;
            if record.outcome == AuditOutcome::Undone || !is_own {
                continue;
            }
            if !authors.contains(&actor) {
                authors.push(actor);
            }
            let origin = origin.filter(|origin| origin.mount == self.name());
            let came_from = match moved {
                Some(below) if tool == Tool::Move => Some(from.join(&below)),
                _ => origin.map(|origin| origin.path),
            };
            if let Some(from) = came_from {
                path = from;
                (numbers, _) = self.named(&path).await?;
                numbers.retain(|older| *older < number);
            } else if is_base(&before, base) {
                break;
            }
        }
        Ok(authors)
    }

    /// The newest records of a file, at most so many and oldest first, and how many older ones were not looked at.
    async fn newest(
        &self,
        workspaces: &Workspaces,
        path: &LogicalPath,
        max: usize,
    ) -> Result<(Vec<AuditRecord>, usize), Error> {
        let (mut numbers, mut older) = self.named(path).await?;
        let mut records = Vec::new();
        while let Some(number) = numbers.pop() {
            if records.len() == max {
                older += numbers.len() + 1;
                break;
            }
            let Some(record) = self.record(number).await? else {
                continue;
            };
            let intent = &record.intent;
            let is_own = intent.path == *path || intent.target.as_ref() == Some(path);
            if is_own || LeftContent::of(intent, path).is_some() {
                records.push(self.render(workspaces, record).await?);
            }
        }
        records.reverse();
        Ok((records, older))
    }

    /// The numbers of the newest records that name a path or one above it, in order, and how many are older.
    pub(super) async fn named(&self, path: &LogicalPath) -> Result<(Vec<u64>, usize), Error> {
        let (mut numbers, mut older) = (Vec::new(), 0);
        for ancestor in path.ancestors() {
            let ancestor: LogicalPath = ancestor.parse().expect("a part of a path is a path");
            let prefix = self.keys.all_of_path(&ancestor);
            let (newest, more) = self.newest_numbers(&prefix, BLAME_RECORDS_MAX).await?;
            numbers.extend(newest);
            older += more;
        }
        numbers.sort_unstable();
        numbers.dedup();
        Ok((numbers, older))
    }

    /// Whether a file is not as the last change left it, or is there though nobody is known to have made it.
    async fn changed_outside(
        &self,
        workspaces: &Workspaces,
        path: &LogicalPath,
        older: usize,
    ) -> Result<bool, Error> {
        let Some((workspace, at)) = workspaces.find(path) else {
            return Err(workspaces.unmapped(path));
        };
        let now = match workspace.store.stat(at, true).await {
            Ok(stat) => Some(stat),
            Err(StoreFault::NotFound | StoreFault::NotDirectory) => None,
            Err(fault) => return Err(Error::File { path: path.clone(), fault }),
        };
        let is_directory = now.as_ref().is_some_and(|stat| stat.kind == EntryKind::Directory);
        let digest = now.as_ref().and_then(|stat| stat.digest);
        let (mut path, mut until) = (path.clone(), u64::MAX);
        for _ in 0..BLAME_MOVES_MAX {
            let Some((number, left)) = self.newest_left(workspaces, &path, until).await? else {
                break;
            };
            match left {
                LeftContent::Nothing => return Ok(now.is_some()),
                LeftContent::Directory => return Ok(!is_directory),
                LeftContent::File(left) | LeftContent::Moved { digest: Some(left), .. } => {
                    return Ok(digest != Some(left));
                }
                // It came with a directory above it, as it was there.
                LeftContent::Moved { from, digest: None } => (path, until) = (from, number),
            }
        }
        // Nobody says that it should be there, or that it should not. What is not looked at might, and so might what
        // was in a directory that was moved.
        Ok(now.is_some() && older == 0 && until == u64::MAX)
    }

    /// The newest change before a record that was made at a path, and what it left there.
    async fn newest_left(
        &self,
        workspaces: &Workspaces,
        path: &LogicalPath,
        until: u64,
    ) -> Result<Option<(u64, LeftContent)>, Error> {
        let (mut numbers, _) = self.named(path).await?;
        numbers.retain(|number| *number < until);
        while let Some(number) = numbers.pop() {
            let Some(record) = self.record(number).await? else { continue };
            let Some(left) = LeftContent::of(&record.intent, path) else { continue };
            if self.render(workspaces, record).await?.outcome == AuditOutcome::Done {
                return Ok(Some((number, left)));
            }
        }
        Ok(None)
    }

    /// The record, with what became of it if nobody wrote that yet.
    pub(super) async fn render(
        &self,
        workspaces: &Workspaces,
        record: AuditRecord,
    ) -> Result<AuditRecord, Error> {
        if record.outcome != AuditOutcome::Open {
            return Ok(record);
        }
        Ok(match self.judge(workspaces, &record).await? {
            // What was not done yet may be under way.
            Some(AuditOutcome::Done) => AuditRecord { outcome: AuditOutcome::Done, ..record },
            _ => record,
        })
    }
}

/// Whether a change found at its path what an overlay copied.
fn is_base(before: &Before, base: Option<Digest>) -> bool {
    match before {
        Before::Nothing => base.is_none(),
        Before::File(digest) => digest.is_some() && *digest == base,
        Before::Directory => false,
    }
}

/// Whether the Store of a path lost what stood there. What a repair keeps may be damaged in turn, which is no reason to
/// show nothing.
async fn has_lost(workspaces: &Workspaces, path: &LogicalPath) -> bool {
    let Some((workspace, at)) = workspaces.find(path) else { return false };
    workspace.store.has_lost(at).await.unwrap_or(false)
}
