//! The authors of a file, and detection of changes without a record.

use std::collections::BTreeSet;

use piton_core::Digest;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::ledger::Ledger;
use super::record::{Actor, AuditIntent, AuditOutcome, AuditRecord, FlatRecord, LeftContent};
use crate::bounds::{BLAME_MOVES_MAX, BLAME_RECORDS_MAX};
use crate::error::Error;
use crate::path::LogicalPath;
use crate::scope::Tool;
use crate::store::{Before, EntryKind, StoreFault};
use crate::workspaces::Workspaces;

/// The history of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileBlame {
    /// Newest records that name the file or a directory above it, oldest first. The records of its source come before
    /// the record that copied or moved it.
    #[serde(serialize_with = "flat_records")]
    #[schemars(with = "Vec<FlatRecord<'static>>")]
    pub records: Vec<AuditRecord>,
    /// Number of older records.
    #[serde(rename = "leftOut")]
    pub older: usize,
    /// Set when the file is not as the last record left it: it was changed outside Piton.
    pub changed_outside: bool,
    /// Set when the file is not as the last record left it because damage destroyed it.
    pub lost: bool,
}

fn flat_records<S: Serializer>(records: &[AuditRecord], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(records.iter().map(AuditRecord::flat))
}

impl Ledger {
    /// Returns the history of a file: its own records, and moves and removals of directories above it.
    pub async fn blame(
        &self,
        workspaces: &Workspaces,
        path: &LogicalPath,
    ) -> Result<FileBlame, Error> {
        let (records, older) = self.newest(workspaces, path, BLAME_RECORDS_MAX).await?;
        let differs = self.changed_outside(workspaces, path, older).await?;
        // The Store is asked about damage only for a file that differs from its records.
        let lost = differs && !records.is_empty() && has_lost(workspaces, path).await;
        Ok(FileBlame { records, older, changed_outside: differs && !lost, lost })
    }

    /// Returns the newest record of a file, or of a directory above it that was moved or removed.
    pub async fn last(
        &self,
        workspaces: &Workspaces,
        path: &LogicalPath,
    ) -> Result<Option<AuditRecord>, Error> {
        let (mut records, _) = self.newest(workspaces, path, 1).await?;
        Ok(records.pop())
    }

    /// Returns the files that exist according to their records but were lost to damage.
    pub(super) async fn lost(&self, workspaces: &Workspaces) -> Result<Vec<LogicalPath>, Error> {
        let mut paths = BTreeSet::new();
        for number in self.numbers(&self.keys.records()).await? {
            // Unreadable records are found by a check of their own.
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

    /// Returns the actors that changed a file in an overlay since it was copied from the content with this digest. The
    /// last one comes first, and each appears once. Moving or copying the file there counts, and so does every change
    /// before that.
    pub async fn authors(
        &self,
        path: &LogicalPath,
        base: Option<Digest>,
        max: usize,
    ) -> Result<Vec<Actor>, Error> {
        let mut path = path.clone();
        let mut authors: Vec<Actor> = Vec::new();
        // Walk the records backwards, from the newest to the one that found the copied content.
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
            // The file had another path before this record: continue with that path, and only with older records.
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

    /// Returns the newest records of a file, at most `max` and oldest first, and the number of older ones left unread.
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

    /// Returns the numbers of the newest records that name a path or one above it, in order, and the number of older
    /// ones.
    pub(super) async fn named(&self, path: &LogicalPath) -> Result<(Vec<u64>, usize), Error> {
        let (mut numbers, mut older) = (Vec::new(), 0);
        for ancestor in path.ancestors() {
            let prefix = self.keys.of_path(&ancestor);
            let (newest, more) = self.newest_numbers(&prefix, BLAME_RECORDS_MAX).await?;
            numbers.extend(newest);
            older += more;
        }
        numbers.sort_unstable();
        numbers.dedup();
        Ok((numbers, older))
    }

    /// True if a file is not as its last change left it, or exists although no record created it.
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
        // The last change of the path may be a move of a directory above it, which records no digest of this file. Then
        // the state at the old path before that move decides.
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
                // The file came with a directory above it: continue with its old path.
                LeftContent::Moved { from, digest: None } => (path, until) = (from, number),
            }
        }
        // No record says that the file should exist, or that it should not. Records that were not read might, and so
        // might the content of a directory that was moved: in doubt, report no foreign change.
        Ok(now.is_some() && older == 0 && until == u64::MAX)
    }

    /// Returns the newest completed change at a path before record `until`, and the content that it left.
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

    /// Returns the record, with its outcome determined from the file if none is written yet.
    pub(super) async fn render(
        &self,
        workspaces: &Workspaces,
        record: AuditRecord,
    ) -> Result<AuditRecord, Error> {
        if record.outcome != AuditOutcome::Open {
            return Ok(record);
        }
        Ok(match self.judge(workspaces, &record).await? {
            // A change not made yet may still be in progress, so only success is final.
            Some(AuditOutcome::Done) => AuditRecord { outcome: AuditOutcome::Done, ..record },
            _ => record,
        })
    }
}

/// True if a change found at its path the content that an overlay copied.
fn is_base(before: &Before, base: Option<Digest>) -> bool {
    match before {
        Before::Nothing => base.is_none(),
        Before::File(digest) => digest.is_some() && *digest == base,
        Before::Directory => false,
    }
}

/// True if the Store lost the entry at a path. The rows kept by a repair may be damaged in turn, which is no reason to
/// show nothing.
async fn has_lost(workspaces: &Workspaces, path: &LogicalPath) -> bool {
    let Some((workspace, at)) = workspaces.find(path) else { return false };
    workspace.store.has_lost(at).await.unwrap_or(false)
}
