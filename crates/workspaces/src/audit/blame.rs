//! Who changed a file, and whether somebody did who left no record.

use super::{
    ledger::Ledger,
    record::{Outcome, Record},
};
use crate::{
    error::Error,
    path::LogicalPath,
    store::{Before, Fault},
    workspaces::Workspaces,
};

/// The history of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The records that name it or a directory above it, oldest first.
    pub records: Vec<Record>,
    /// Whether the file is not as the last of them left it: it was changed outside Piton.
    pub changed_outside: bool,
}

impl Ledger {
    /// The history of a file: its own records, and moves and removals of directories above it.
    pub async fn blame(&self, workspaces: &Workspaces, path: &LogicalPath) -> Result<Blame, Error> {
        let mut numbers = Vec::new();
        for ancestor in path.ancestors() {
            let ancestor: LogicalPath = ancestor.parse().expect("a part of a path is a path");
            numbers.extend(self.numbers(&self.keys.all_of_path(&ancestor)).await?);
        }
        numbers.sort_unstable();
        numbers.dedup();
        let mut records = Vec::new();
        for number in numbers {
            let Some(record) = self.record(number).await? else {
                continue;
            };
            let intent = &record.intent;
            let is_own = intent.path == *path || intent.target.as_ref() == Some(path);
            if is_own || intent.before == Before::Directory {
                records.push(self.shown(workspaces, record).await?);
            }
        }
        let changed_outside = changed_outside(workspaces, path, &records).await?;
        Ok(Blame { records, changed_outside })
    }

    /// The record, with what became of it if nobody wrote that yet.
    async fn shown(&self, workspaces: &Workspaces, record: Record) -> Result<Record, Error> {
        if record.outcome != Outcome::Open {
            return Ok(record);
        }
        Ok(match self.judge(workspaces, &record).await? {
            // What was not done yet may be under way.
            Some(Outcome::Done) => Record { outcome: Outcome::Done, ..record },
            _ => record,
        })
    }
}

async fn changed_outside(
    workspaces: &Workspaces,
    path: &LogicalPath,
    records: &[Record],
) -> Result<bool, Error> {
    let Some((workspace, at)) = workspaces.find(path) else {
        return Err(workspaces.unmapped(path));
    };
    let now = match workspace.store.stat(at, true).await {
        Ok(stat) => Some(stat.digest),
        Err(Fault::NotFound | Fault::NotDirectory) => None,
        Err(fault) => return Err(Error::File { path: path.clone(), fault }),
    };
    let made = records.iter().rev().find(|record| {
        let is_own = record.intent.path == *path;
        record.outcome == Outcome::Done && !(is_own && record.intent.before == Before::Directory)
    });
    let Some(made) = made else {
        // Nobody says that it should be there, or that it should not.
        return Ok(now.is_some());
    };
    let left = if made.intent.path == *path && made.intent.target.is_some() {
        None
    } else {
        made.intent.after.map(Some)
    };
    Ok(now != left)
}
