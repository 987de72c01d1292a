//! The records of one set of Mounts.
//!
//! *Invariants*: an intent is durable before its change happens. Its outcome is written with the next intent or soon
//! after. A record that is open in the table but whose change is on disk counts as done, and every reader determines
//! that. Nearly every change succeeds, so success has the cheapest encoding: the row that marks the record as open is
//! removed, and the record itself stays as it is. Any other outcome is written into the record.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_core::{Clock, Code, Digest};
use piton_store::PagedScan;
use piton_store::port::{EntryVersion, Expect, Table, TableEntry, TableWrite};

use super::keys::{LedgerKeys, is_record, number_of, numbered};
use super::record::{Actor, AuditIntent, AuditOutcome, AuditRecord, VERSION};
use crate::bounds::{ACTOR_BYTES_MAX, AUDIT_PAGE, COMMIT_TRIES_MAX};
use crate::error::Error;
use crate::virtual_store::has_taken_out;
use crate::workspaces::Workspaces;

/// The records of one set of Mounts.
pub struct Ledger {
    table: Arc<dyn Table>,
    clock: Arc<dyn Clock>,
    pub(super) keys: LedgerKeys,
    known: Mutex<KnownRecords>,
}

/// Knowledge of this process about the records beyond the table.
#[derive(Default)]
struct KnownRecords {
    /// Number of the next record and version of its counter row, as the last commit of this process left them.
    next: Option<(u64, EntryVersion)>,
    /// Records with an outcome that is known but not written yet. Each intent takes them along, so there are never more
    /// than changes in progress at one time.
    unwritten: Vec<Begun>,
}

/// A record that this process began.
#[derive(Clone, Debug)]
pub struct Begun {
    pub record: AuditRecord,
    /// Version of the commit that began the record. While its open row has this version, no other process concluded it.
    opened: EntryVersion,
}

impl Ledger {
    /// Opens the records under a name. Sets that share the Mounts share the name.
    pub fn new(table: Arc<dyn Table>, clock: Arc<dyn Clock>, name: &str) -> Self {
        Self { table, clock, keys: LedgerKeys::of(name), known: Mutex::default() }
    }

    /// Returns the digest of its name.
    pub(super) const fn name(&self) -> Digest {
        self.keys.name
    }

    /// Records an intent, together with the outcomes that are not written yet.
    pub async fn intend(&self, intent: &AuditIntent) -> Result<Begun, Error> {
        let mut intent = intent.clone();
        shorten(&mut intent.actor);
        intent.source.iter_mut().flat_map(|source| &mut source.authors).for_each(shorten);
        let mut is_contested = false;
        for _ in 0..COMMIT_TRIES_MAX {
            // The counter is usually known from the last commit, so an intent costs a single commit and no read.
            let (number, expect) = self.next().await?;
            let record = AuditRecord {
                v: VERSION,
                number,
                timestamp_ms: self.clock.now_ms(),
                intent: intent.clone(),
                outcome: AuditOutcome::Open,
            };
            // Another task may have begun and settled the record of this very number meanwhile. The commit is then
            // refused because the number is taken. Naming one key twice would be refused as malformed instead, so leave
            // it out.
            let mut unwritten = self.known().unwritten.clone();
            unwritten.retain(|settled| settled.record.number < number);
            let mut batch = self.beginning(&record, expect)?;
            for settled in &unwritten {
                batch.extend(self.ending(settled, is_contested)?);
            }
            match self.table.commit(batch).await {
                Ok(opened) => {
                    let mut known = self.known();
                    known.next = Some((number + 1, opened));
                    known.forget(&unwritten);
                    return Ok(Begun { record, opened });
                }
                // Another process took the number, or concluded one of the outcomes. Read the counter again, and write
                // the outcomes unconditionally: the process that made the change knows best.
                Err(piton_store::Error::Conflict { .. }) => {
                    self.known().next = None;
                    is_contested = true;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Data(Code::StoreBusy))
    }

    /// Sets the outcome of an intent as its maker knows it. It is written with the next intent or by
    /// [`flush`](Self::flush). Until then every reader of the open record determines it from the file.
    pub fn resolve(&self, mut begun: Begun, done: bool) {
        begun.record.outcome = if done { AuditOutcome::Done } else { AuditOutcome::Undone };
        self.known().unwritten.push(begun);
    }

    /// True if there are known outcomes that are not written yet.
    pub fn has_unwritten(&self) -> bool {
        !self.known().unwritten.is_empty()
    }

    /// Writes the known outcomes that are not written yet.
    pub async fn flush(&self) -> Result<(), Error> {
        let unwritten = self.known().unwritten.clone();
        if unwritten.is_empty() {
            return Ok(());
        }
        let endings = |is_contested: bool| -> Result<Vec<TableWrite>, Error> {
            let each = unwritten.iter().map(|settled| self.ending(settled, is_contested));
            Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
        };
        // The cheap form first. It fails only if another process concluded one of the records in the meantime.
        match self.table.commit(endings(false)?).await {
            Err(piton_store::Error::Conflict { .. }) => self.table.commit(endings(true)?).await?,
            committed => committed?,
        };
        self.known().forget(&unwritten);
        Ok(())
    }

    /// Returns the number of the next record and the expectation about its counter row.
    async fn next(&self) -> Result<(u64, Expect), Error> {
        let known = self.known().next;
        if let Some((number, version)) = known {
            return Ok((number, Expect::Version(version)));
        }
        let next = self.table.get(&self.keys.next()).await?;
        let number = next.as_ref().and_then(|entry| number_of(&entry.value)).unwrap_or(0);
        Ok((number, next.map(|entry| entry.version).into()))
    }

    /// Returns the writes that begin a record. The expectation on the counter row makes its writer the only one under
    /// that number.
    fn beginning(&self, record: &AuditRecord, expect: Expect) -> Result<Vec<TableWrite>, Error> {
        let (number, intent) = (record.number, &record.intent);
        let put = |key, value| TableWrite::put(key, Expect::Anything, value);
        let following = (number + 1).to_be_bytes().to_vec();
        let mut batch = vec![
            TableWrite::put(self.keys.next(), expect, following),
            put(numbered(&self.keys.records(), number), encode(record)?),
            put(numbered(&self.keys.open(), number), Vec::new()),
            put(numbered(&self.keys.of_path(&intent.path), number), Vec::new()),
        ];
        if let Some(target) = intent.target.as_ref().filter(|target| **target != intent.path) {
            batch.push(put(numbered(&self.keys.of_path(target), number), Vec::new()));
        }
        if let Some(run) = &intent.actor.run {
            batch.push(put(numbered(&self.keys.of_run(run), number), Vec::new()));
        }
        Ok(batch)
    }

    /// Returns the writes for an outcome known to the process that made the change. If the record is contested, they
    /// replace the conclusion of any other process.
    fn ending(&self, settled: &Begun, is_contested: bool) -> Result<Vec<TableWrite>, Error> {
        let Begun { record, opened } = settled;
        let expect = if is_contested { Expect::Anything } else { Expect::Version(*opened) };
        let open = numbered(&self.keys.open(), record.number);
        let mut batch = vec![TableWrite::remove(open, expect)];
        // `Done` needs no write of the record: removing the open row says it. A contested record may hold another
        // outcome.
        if is_contested || record.outcome != AuditOutcome::Done {
            let key = numbered(&self.keys.records(), record.number);
            batch.push(TableWrite::put(key, Expect::Anything, encode(record)?));
        }
        Ok(batch)
    }

    fn known(&self) -> MutexGuard<'_, KnownRecords> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the conclusion of another process about a record if it is still open. Returns true if it was.
    pub(super) async fn conclude(&self, number: u64, outcome: AuditOutcome) -> Result<bool, Error> {
        let Some((record, Some(opened))) = self.written(number).await? else { return Ok(false) };
        let concluded = Begun { record: AuditRecord { outcome, ..record }, opened };
        // The version of the open row makes this lose against the process that made the change.
        match self.table.commit(self.ending(&concluded, false)?).await {
            Err(piton_store::Error::Conflict { .. }) => Ok(false),
            committed => Ok(committed.map(|_| true)?),
        }
    }

    /// Returns a record by its number, with its outcome if this process knows it.
    pub async fn record(&self, number: u64) -> Result<Option<AuditRecord>, Error> {
        let is_asked = |settled: &&Begun| settled.record.number == number;
        let known = self.known().unwritten.iter().find(is_asked).map(|known| known.record.clone());
        if known.is_some() {
            return Ok(known);
        }
        Ok(self.written(number).await?.map(|(record, _)| record))
    }

    /// Returns a record as written, and the version of its open row if there is one.
    async fn written(
        &self,
        number: u64,
    ) -> Result<Option<(AuditRecord, Option<EntryVersion>)>, Error> {
        // Both rows in one read: between two reads the outcome could be written.
        let keys = [self.keys.records(), self.keys.open()];
        let keys = keys.iter().map(|prefix| numbered(prefix, number)).collect();
        let [Some(entry), open] = &self.table.get_all(keys).await?[..] else { return Ok(None) };
        let mut record = decode(&entry.value)?;
        if record.outcome == AuditOutcome::Open && open.is_none() {
            record.outcome = AuditOutcome::Done;
        }
        Ok(Some((record, open.as_ref().map(|open| open.version))))
    }

    /// Returns the records of a run, oldest first and at most `max`, and the number of further ones. Records of
    /// versions that named no node are left out.
    pub async fn of_run(
        &self,
        workspaces: &Workspaces,
        run: &str,
        max: usize,
    ) -> Result<(Vec<AuditRecord>, usize), Error> {
        let numbers = self.numbers(&self.keys.of_run(run)).await?;
        let mut records = Vec::new();
        for number in numbers.iter().take(max) {
            if let Some(record) = self.record(*number).await? {
                records.push(self.render(workspaces, record).await?);
            }
        }
        Ok((records, numbers.len().saturating_sub(max)))
    }

    /// Returns the numbers of the records of a run, in order.
    pub(super) async fn numbers_of_run(&self, run: &str) -> Result<Vec<u64>, Error> {
        self.numbers(&self.keys.of_run(run)).await
    }

    /// Returns the number behind the newest record, of any process.
    pub(super) async fn end(&self) -> Result<u64, Error> {
        let next = self.table.get(&self.keys.next()).await?;
        Ok(next.and_then(|entry| number_of(&entry.value)).unwrap_or(0))
    }

    /// True if a repair removed rows from the table that holds the records.
    pub(super) async fn follows_a_repair(&self) -> Result<bool, Error> {
        Ok(has_taken_out(&*self.table).await?)
    }

    /// Returns the numbers of the index rows under a prefix, in order.
    pub(super) async fn numbers(&self, prefix: &[u8]) -> Result<Vec<u64>, Error> {
        Ok(self.newest_numbers(prefix, usize::MAX).await?.0)
    }

    /// Returns the last `max` numbers of the index rows under a prefix, in order, and the number of those before.
    pub(super) async fn newest_numbers(
        &self,
        prefix: &[u8],
        max: usize,
    ) -> Result<(Vec<u64>, usize), Error> {
        let (mut numbers, mut before) = (Vec::new(), 0);
        let mut scan = PagedScan::new(&*self.table, prefix, AUDIT_PAGE);
        while let Some(entries) = scan.next().await? {
            numbers.extend(entries.iter().filter_map(|entry| number_of(&entry.key)));
            let too_many = numbers.len().saturating_sub(max);
            numbers.drain(..too_many);
            before += too_many;
        }
        Ok((numbers, before))
    }
}

impl KnownRecords {
    fn forget(&mut self, written: &[Begun]) {
        let is_written =
            |one: &Begun| written.iter().any(|other| other.record.number == one.record.number);
        self.unwritten.retain(|one| !is_written(one));
    }
}

fn shorten(actor: &mut Actor) {
    let cut = |text: &mut String| text.truncate(text.floor_char_boundary(ACTOR_BYTES_MAX));
    cut(&mut actor.agent);
    let Actor { agent: _, session, run, node, step } = actor;
    for text in [session, run, node, step].into_iter().flatten() {
        cut(text);
    }
}

fn encode(record: &AuditRecord) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(record).map_err(|_| Error::Data(Code::InternalError))
}

/// Returns the number of the record in a row if the record is unreadable.
pub(crate) fn damaged_record(entry: &TableEntry) -> Option<u64> {
    let is_damaged = is_record(&entry.key) && decode(&entry.value).is_err();
    if is_damaged { number_of(&entry.key) } else { None }
}

fn decode(bytes: &[u8]) -> Result<AuditRecord, Error> {
    serde_json::from_slice(bytes).map_err(|_| Error::Data(Code::StoreInvariantViolation))
}
