//! The history of a file that was copied or moved, continued with the records of its source.
//!
//! *Invariants*: only records of a source from before the copy or move count. No record is listed twice.
//!
//! *Limitations*: between Mounts, the clock decides which record is earlier. If it was set back in between, the history
//! may end early.

use std::collections::BTreeSet;

use piton_core::{Digest, TimestampMs};

use super::blame::FileBlame;
use super::ledger::Ledger;
use super::ledgers::Ledgers;
use super::record::{AuditOutcome, AuditRecord, LeftContent};
use crate::bounds::{BLAME_MOVES_MAX, BLAME_READS_MAX, BLAME_RECORDS_MAX};
use crate::error::Error;
use crate::path::LogicalPath;
use crate::store::Before;
use crate::workspaces::Workspaces;

/// A history under construction.
pub(super) struct HistoryTrace<'a> {
    ledgers: &'a Ledgers,
    workspaces: &'a Workspaces,
    /// Records so far, the newest first.
    records: Vec<AuditRecord>,
    /// Mount and number of each listed record.
    listed: BTreeSet<(Digest, u64)>,
    /// Number of records that may still be read to find sources.
    reads_left: usize,
    older: usize,
}

/// A path that content came from.
struct ContentOrigin {
    path: LogicalPath,
    /// Path that it went to from there.
    to: LogicalPath,
    /// Identity of the Mount, if it is known.
    mount: Option<Digest>,
    /// Moment of the transfer. `None` if every record counts.
    until: Option<Moment>,
}

/// The moment of a record.
#[derive(Clone, Copy)]
struct Moment {
    mount: Digest,
    number: u64,
    at: TimestampMs,
}

/// The predecessor of the oldest record found at a path.
enum Earlier {
    /// The content was copied or moved there.
    Moved(ContentOrigin),
    /// The content was applied from an overlay. `rest` is the path itself if it existed before.
    Applied { inside: ContentOrigin, rest: Option<ContentOrigin> },
    /// The content was only read through an overlay until then.
    Below(ContentOrigin),
}

impl Moment {
    const fn of(ledger: &Ledger, record: &AuditRecord) -> Self {
        Self { mount: ledger.name(), number: record.number, at: record.timestamp_ms }
    }

    fn is_after(&self, ledger: &Ledger, record: &AuditRecord) -> bool {
        // Numbers order the records of one Mount exactly. Between Mounts only the clock is left.
        if ledger.name() == self.mount {
            record.number < self.number
        } else {
            record.timestamp_ms <= self.at
        }
    }
}

impl<'a> HistoryTrace<'a> {
    pub(super) const fn new(ledgers: &'a Ledgers, workspaces: &'a Workspaces) -> Self {
        Self {
            ledgers,
            workspaces,
            records: Vec::new(),
            listed: BTreeSet::new(),
            reads_left: BLAME_READS_MAX,
            older: 0,
        }
    }

    /// Returns the history of a file, starting from its own records.
    pub(super) async fn history(
        mut self,
        path: &LogicalPath,
        own: FileBlame,
    ) -> Result<FileBlame, Error> {
        let ledger = self.ledgers.at(path);
        self.listed.extend(own.records.iter().map(|record| entry(ledger, record)));
        // The records are visited from the newest to the oldest, and each source is listed right after the record that
        // took the content from it.
        let mut until = None;
        let mut is_made = own.older > 0;
        for record in own.records.into_iter().rev() {
            let is_undone = record.outcome == AuditOutcome::Undone;
            let earlier = if is_undone { None } else { came_from(ledger, &record, path) };
            is_made |= earlier.is_some() || !is_undone && makes(&record, path);
            until = Some(Moment::of(ledger, &record));
            self.records.push(record);
            // Earlier records of the path itself are listed anyway.
            let earlier = earlier.map(|earlier| match earlier {
                Earlier::Applied { inside, .. } => Earlier::Applied { inside, rest: None },
                other => other,
            });
            self.follow(earlier).await?;
        }
        // No record created the file, so it shows through from below the overlay.
        if !is_made {
            let below = self.below(path, until);
            self.follow(below).await?;
        }
        self.records.reverse();
        Ok(FileBlame { records: self.records, older: own.older + self.older, ..own })
    }

    /// Lists the sources of content, from one path to the next.
    async fn follow(&mut self, mut earlier: Option<Earlier>) -> Result<(), Error> {
        for _ in 0..BLAME_MOVES_MAX {
            earlier = match earlier {
                None => return Ok(()),
                Some(Earlier::Moved(origin) | Earlier::Below(origin)) => {
                    let (found, earlier) = self.scan(&origin).await?;
                    self.list(&origin, found);
                    earlier
                }
                Some(Earlier::Applied { inside, rest }) => match self.scan(&inside).await? {
                    (found, earlier @ Some(Earlier::Moved(_))) => {
                        self.list(&inside, found);
                        earlier
                    }
                    // The record of the apply names the authors already.
                    _ => rest.map(Earlier::Moved),
                },
            };
        }
        Ok(())
    }

    fn list(&mut self, origin: &ContentOrigin, found: Vec<AuditRecord>) {
        let ledger = self.ledgers.at(&origin.path);
        self.listed.extend(found.iter().map(|record| entry(ledger, record)));
        self.records.extend(found);
    }

    /// Returns the records of the content of a path at a moment, the newest first, back to its creation or its source.
    async fn scan(
        &mut self,
        origin: &ContentOrigin,
    ) -> Result<(Vec<AuditRecord>, Option<Earlier>), Error> {
        let ContentOrigin { path, to, mount, until } = origin;
        let ledger = self.ledgers.at(path);
        let mut found = Vec::new();
        if mount.is_some_and(|mount| mount != ledger.name()) {
            return Ok((found, None));
        }
        let (mut numbers, _) = ledger.named(path).await?;
        while let Some(number) = numbers.pop().filter(|_| self.reads_left > 0) {
            self.reads_left -= 1;
            let Some(record) = ledger.record(number).await? else { continue };
            let is_later = until.is_some_and(|until| !until.is_after(ledger, &record));
            // A move between Stores removes its source only after it made the copy, so that removal is part of the
            // move.
            let is_removal =
                record.intent.target.as_ref() == Some(to) && record.intent.after.is_none();
            if is_later || is_removal || self.listed.contains(&entry(ledger, &record)) {
                continue;
            }
            let Some(left) = LeftContent::of(&record.intent, path) else { continue };
            let record = ledger.render(self.workspaces, record).await?;
            if record.outcome == AuditOutcome::Undone {
                continue;
            }
            // The path was empty after this record, so the later content was not made through Piton.
            if left == LeftContent::Nothing {
                return Ok((found, None));
            }
            // The answer is full: report the remaining records as a number only.
            if self.listed.len() + found.len() >= BLAME_RECORDS_MAX {
                self.older += numbers.len() + 1;
                return Ok((found, None));
            }
            let earlier = came_from(ledger, &record, path);
            let is_made = makes(&record, path);
            found.push(record);
            if earlier.is_some() || is_made {
                return Ok((found, earlier));
            }
        }
        let until = found.last().map(|record| Moment::of(ledger, record)).or(*until);
        Ok((found, self.below(path, until)))
    }

    /// Returns the lower content that an overlay shows at a path that it did not change.
    fn below(&self, path: &LogicalPath, until: Option<Moment>) -> Option<Earlier> {
        let below = self.ledgers.below(path)?;
        Some(Earlier::Below(ContentOrigin { path: below, to: path.clone(), mount: None, until }))
    }
}

fn entry(ledger: &Ledger, record: &AuditRecord) -> (Digest, u64) {
    (ledger.name(), record.number)
}

/// True if a change found nothing at a path, so that the content it left has no source.
fn makes(record: &AuditRecord, path: &LogicalPath) -> bool {
    record.intent.path == *path && record.intent.before == Before::Nothing
}

/// Returns the source of the content that a change left at a path, if it has one.
fn came_from(ledger: &Ledger, record: &AuditRecord, path: &LogicalPath) -> Option<Earlier> {
    let intent = &record.intent;
    let until = Some(Moment::of(ledger, record));
    let origin = |from, mount| ContentOrigin { path: from, to: path.clone(), mount, until };
    if let Some(LeftContent::Moved { from, .. }) = LeftContent::of(intent, path) {
        return Some(Earlier::Moved(origin(from, None)));
    }
    if intent.path != *path {
        return None;
    }
    if let Some(from) = &intent.origin {
        return Some(Earlier::Moved(origin(from.path.clone(), Some(from.mount))));
    }
    let overlay = &intent.source.as_ref()?.overlay;
    let inside = origin(overlay.join(&path.below(&intent.workspace)?), None);
    let rest = (intent.before != Before::Nothing).then(|| origin(path.clone(), None));
    Some(Earlier::Applied { inside, rest })
}
