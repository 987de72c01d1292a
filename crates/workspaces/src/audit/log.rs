//! The records of all Mounts together, page by page and newest first.
//!
//! *Invariants*: two pages that follow each other leave no record out and show none twice, whatever is recorded
//! meanwhile. The records of one Mount are in their own order; between Mounts, the clock decides.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use piton_core::DigestBuilder;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::ledger::Ledger;
use super::ledgers::Ledgers;
use super::record::{AuditIntent, AuditRecord, FlatRecord};
use crate::bounds::{LOG_PAGE_MAX, LOG_READS_MAX};
use crate::error::Error;
use crate::path::LogicalPath;
use crate::scope::Tool;
use crate::workspaces::Workspaces;

/// Selects records of all Mounts.
#[derive(Clone, Debug, Default)]
pub struct LogQuery {
    /// Only changes of this path and of everything inside.
    pub under: Option<LogicalPath>,
    /// Only changes of this agent, also those that were applied from an overlay.
    pub agent: Option<String>,
    /// Only changes of this run.
    pub run: Option<String>,
    /// Only changes by this tool.
    pub tool: Option<Tool>,
    /// Where the page before ended.
    pub from: Option<LogCursor>,
    /// Number of records, at most [`LOG_PAGE_MAX`].
    pub limit: usize,
}

/// Records of all Mounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogPage {
    /// The newest first.
    #[serde(serialize_with = "flat_records")]
    #[schemars(with = "Vec<FlatRecord<'static>>")]
    pub records: Vec<AuditRecord>,
    /// Where the next page begins; none if there are no further records. A page may have fewer records than asked for,
    /// even none, because only so many are searched at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<LogCursor>,
    /// Number of records that were searched.
    pub searched: usize,
    /// Number of records that cannot be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub damaged: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "this is the form that serde asks for")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn flat_records<S: Serializer>(records: &[AuditRecord], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(records.iter().map(AuditRecord::flat))
}

/// A place between two records. Its text means nothing to anyone else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogCursor {
    /// The Mounts that it was made for.
    mounts: String,
    /// For each Mount, the number behind the last record that is still to come.
    ends: Vec<u64>,
}

impl fmt::Display for LogCursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.mounts)?;
        self.ends.iter().try_for_each(|end| write!(formatter, ".{end}"))
    }
}

/// The reason that a text is no cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no place in the log of these Workspaces; begin at the newest record again")]
pub struct NoLogCursor;

impl FromStr for LogCursor {
    type Err = NoLogCursor;

    fn from_str(text: &str) -> Result<Self, NoLogCursor> {
        let (mounts, ends) = text.split_once('.').ok_or(NoLogCursor)?;
        let ends: Result<_, _> = ends.split('.').map(str::parse).collect();
        Ok(Self { mounts: mounts.to_owned(), ends: ends.map_err(|_| NoLogCursor)? })
    }
}

impl Serialize for LogCursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

piton_core::string_schema!(LogCursor, { "pattern": "^[0-9a-f]+(\\.[0-9]+)+$" });

/// The records of one Mount, the newest first.
struct LedgerReader<'a> {
    ledger: &'a Arc<Ledger>,
    /// The number behind the next record.
    end: u64,
    /// The numbers of the wanted records, in order, where an index has them; else every number counts.
    indexed: Option<Vec<u64>>,
    /// The next record that fits, read ahead.
    head: Option<AuditRecord>,
}

impl LedgerReader<'_> {
    /// Takes the next number.
    fn next(&mut self) -> Option<u64> {
        let number = match &mut self.indexed {
            None => self.end.checked_sub(1),
            Some(numbers) => {
                while numbers.last().is_some_and(|number| *number >= self.end) {
                    numbers.pop();
                }
                numbers.pop()
            }
        };
        self.end = number.unwrap_or(0);
        number
    }

    /// Returns the end of a page before the record that was read ahead.
    fn end(&self) -> u64 {
        self.head.as_ref().map_or(self.end, |head| head.number + 1)
    }
}

impl Ledgers {
    /// Returns a page of the records of all Mounts.
    pub async fn log(&self, workspaces: &Workspaces, query: &LogQuery) -> Result<LogPage, Error> {
        let mounts = self.distinct();
        let mut readers = Vec::new();
        let name = name_of(&mounts);
        if let Some(from) = &query.from
            && (from.mounts != name || from.ends.len() != mounts.len())
        {
            return Err(Error::BadArgument(NoLogCursor.to_string()));
        }
        for (place, (prefix, ledger)) in mounts.iter().enumerate() {
            let indexed = match &query.run {
                Some(run) => Some(ledger.numbers_of_run(run).await?),
                None => None,
            };
            // Records of a Mount name its own paths, so one that lies elsewhere has none that fits.
            let is_related = match (&query.under, prefix) {
                (Some(under), Some(prefix)) => {
                    under.starts_with(prefix) || prefix.starts_with(under)
                }
                _ => true,
            };
            let end = match &query.from {
                _ if !is_related => 0,
                Some(from) => from.ends[place],
                None => ledger.end().await?,
            };
            readers.push(LedgerReader { ledger, end, indexed, head: None });
        }
        let limit = query.limit.clamp(1, LOG_PAGE_MAX);
        let (mut records, mut searched, mut damaged) = (Vec::new(), 0, 0);
        while records.len() < limit {
            // Each Mount needs its next record before the newest of them is known.
            for reader in &mut readers {
                while reader.head.is_none() && searched < LOG_READS_MAX {
                    let Some(number) = reader.next() else { break };
                    searched += 1;
                    match reader.ledger.record(number).await {
                        Ok(record) => reader.head = record.filter(|one| fits(&one.intent, query)),
                        // One damaged row must not hide the others. A check of its own finds and repairs it.
                        Err(Error::Data(_)) => damaged += 1,
                        Err(other) => return Err(other),
                    }
                }
            }
            // A Mount whose next record was not found within the limit may hold the newest one, so the page ends here.
            if searched >= LOG_READS_MAX
                && readers.iter().any(|one| one.head.is_none() && one.end > 0)
            {
                break;
            }
            let newest = readers.iter_mut().filter(|one| one.head.is_some());
            let newest = newest.max_by_key(|one| one.head.as_ref().map(|head| head.timestamp_ms));
            let Some(reader) = newest else { break };
            let record = reader.head.take().expect("only those with one were compared");
            records.push(reader.ledger.render(workspaces, record).await?);
        }
        let ends: Vec<u64> = readers.iter().map(LedgerReader::end).collect();
        let next = ends.iter().any(|end| *end > 0).then_some(LogCursor { mounts: name, ends });
        Ok(LogPage { records, next, searched, damaged })
    }

    /// Returns each ledger once, with the prefix of a Workspace on its Mount. Two Workspaces may share one.
    fn distinct(&self) -> Vec<(Option<&LogicalPath>, &Arc<Ledger>)> {
        let mut mounts: Vec<(Option<&LogicalPath>, &Arc<Ledger>)> = Vec::new();
        for (prefix, ledger) in self.named_ledgers() {
            match mounts.iter_mut().find(|(_, known)| known.name() == ledger.name()) {
                // Its records name paths of both, so neither prefix excludes any.
                Some((shared, _)) => *shared = None,
                None => mounts.push((prefix, ledger)),
            }
        }
        mounts
    }
}

/// Returns a short name of a list of Mounts: a cursor is of use for the same list only.
fn name_of(mounts: &[(Option<&LogicalPath>, &Arc<Ledger>)]) -> String {
    let mut digest = DigestBuilder::new();
    for (_, ledger) in mounts {
        digest.update(ledger.name().as_bytes());
    }
    let digest = digest.finish();
    let start = digest.as_bytes().first_chunk().expect("a digest is longer");
    format!("{:08x}", u32::from_be_bytes(*start))
}

fn fits(intent: &AuditIntent, query: &LogQuery) -> bool {
    let LogQuery { under, agent, run, tool, .. } = query;
    let authors = intent.source.iter().flat_map(|source| &source.authors);
    let mut agents = authors.chain([&intent.actor]).map(|actor| &actor.agent);
    let mut paths = intent.target.iter().chain([&intent.path]);
    under.as_ref().is_none_or(|under| paths.any(|path| path.starts_with(under)))
        && agent.as_ref().is_none_or(|agent| agents.any(|one| one == agent))
        && run.as_ref().is_none_or(|run| intent.actor.run.as_ref() == Some(run))
        && tool.is_none_or(|tool| intent.tool == tool)
}
