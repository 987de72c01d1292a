//! The records of one set of Mounts.
//!
//! *Invariants*: an intention is durable before its change happens. Its outcome is written with the next intention or
//! soon after: a record that is open in the table and done on the disk is done, and everybody who reads it finds that
//! out. Nearly every change is done, so that is told by the least: the row that says that the record is open goes, and
//! the record itself stays as it is. Any other outcome stands in the record.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_core::{Clock, Code, Digest};
use piton_store::port::{EntryChange, EntryVersion, Expect, Table, TableEntry, TableWrite};

use super::{
    keys::{LedgerKeys, is_record, number_of},
    record::{AuditIntent, AuditOutcome, AuditRecord, VERSION},
};
use crate::{
    bounds::{ACTOR_BYTES_MAX, AUDIT_PAGE, COMMIT_TRIES_MAX},
    error::Error,
    files::Actor,
    virtual_store::has_taken_out,
    workspaces::Workspaces,
};

/// The records of one set of Mounts.
pub struct Ledger {
    table: Arc<dyn Table>,
    clock: Arc<dyn Clock>,
    pub(super) keys: LedgerKeys,
    known: Mutex<KnownRecords>,
}

/// What this process knows of the records beside what is written.
#[derive(Default)]
struct KnownRecords {
    /// The number of the next record and the version of the row that says so, as the last commit here left them.
    next: Option<(u64, EntryVersion)>,
    /// Records whose outcome is known here and is not written yet. Each intention takes them along, so there are no
    /// more than changes under way at one time.
    unwritten: Vec<Begun>,
}

/// A record that its own process began.
#[derive(Clone, Debug)]
pub struct Begun {
    /// The record.
    pub record: AuditRecord,
    /// The commit that it began with: as long as its row among the open ones is of that, nobody concluded anything.
    opened: EntryVersion,
}

impl Ledger {
    /// The records under a name: those who share the Mounts share the name.
    pub fn new(table: Arc<dyn Table>, clock: Arc<dyn Clock>, name: &str) -> Self {
        Self { table, clock, keys: LedgerKeys::of(name), known: Mutex::default() }
    }

    /// The digest of its name.
    pub(super) const fn name(&self) -> Digest {
        self.keys.name
    }

    /// Records what is about to be done, and with it the outcomes that are not written yet.
    pub async fn intend(&self, intent: &AuditIntent) -> Result<Begun, Error> {
        let mut intent = intent.clone();
        shorten(&mut intent.actor);
        intent.source.iter_mut().flat_map(|source| &mut source.authors).for_each(shorten);
        let mut is_contested = false;
        for _ in 0..COMMIT_TRIES_MAX {
            let (number, expect) = self.next().await?;
            let record = AuditRecord {
                v: VERSION,
                number,
                timestamp_ms: self.clock.now_ms(),
                intent: intent.clone(),
                outcome: AuditOutcome::Open,
            };
            // Somebody here may have begun and settled the record of this very number meanwhile. The commit is refused
            // then because the number is taken, and a commit that named one key twice would be refused as malformed.
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
                Err(piton_store::Error::Conflict { .. }) => {
                    self.known().next = None;
                    is_contested = true;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Data(Code::StoreBusy))
    }

    /// Adds what became of an intention, as the one who made it knows. It is written with the next intention, or by
    /// [`flush`](Self::flush); until then whoever reads the open record concludes it from the file.
    pub fn resolve(&self, mut begun: Begun, done: bool) {
        begun.record.outcome = if done { AuditOutcome::Done } else { AuditOutcome::Undone };
        self.known().unwritten.push(begun);
    }

    /// Whether outcomes are known here that are not written yet.
    pub fn has_unwritten(&self) -> bool {
        !self.known().unwritten.is_empty()
    }

    /// Writes the outcomes that are known here and are not written yet.
    pub async fn flush(&self) -> Result<(), Error> {
        let unwritten = self.known().unwritten.clone();
        if unwritten.is_empty() {
            return Ok(());
        }
        let endings = |is_contested: bool| -> Result<Vec<TableWrite>, Error> {
            let each = unwritten.iter().map(|settled| self.ending(settled, is_contested));
            Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
        };
        match self.table.commit(endings(false)?).await {
            Err(piton_store::Error::Conflict { .. }) => self.table.commit(endings(true)?).await?,
            committed => committed?,
        };
        self.known().forget(&unwritten);
        Ok(())
    }

    /// The number of the next record, and what must be true of the row that says so.
    async fn next(&self) -> Result<(u64, Expect), Error> {
        let known = self.known().next;
        if let Some((number, version)) = known {
            return Ok((number, Expect::Version(version)));
        }
        let next = self.table.get(&self.keys.next()).await?;
        let number = next.as_ref().and_then(|entry| number_of(&entry.value)).unwrap_or(0);
        Ok((number, next.map_or(Expect::Absent, |entry| Expect::Version(entry.version))))
    }

    /// What is written when a record begins. Whoever finds the row of the next number as expected is the only one to
    /// write under that number.
    fn beginning(&self, record: &AuditRecord, expect: Expect) -> Result<Vec<TableWrite>, Error> {
        let (number, intent) = (record.number, &record.intent);
        let put = |key, value| TableWrite {
            key,
            expect: Expect::Anything,
            change: EntryChange::Put(value),
        };
        let following = EntryChange::Put((number + 1).to_be_bytes().to_vec());
        let mut batch = vec![
            TableWrite { key: self.keys.next(), expect, change: following },
            put(self.keys.record(number), encode(record)?),
            put(self.keys.open(number), Vec::new()),
            put(self.keys.path(&intent.path, number), Vec::new()),
        ];
        if let Some(target) = intent.target.as_ref().filter(|target| **target != intent.path) {
            batch.push(put(self.keys.path(target, number), Vec::new()));
        }
        if let Some(run) = &intent.actor.run {
            batch.push(put(self.keys.run(run, number), Vec::new()));
        }
        Ok(batch)
    }

    /// What is written when the outcome of a record is known by its own process. Where somebody else may have concluded
    /// something meanwhile, that is replaced.
    fn ending(&self, settled: &Begun, is_contested: bool) -> Result<Vec<TableWrite>, Error> {
        let Begun { record, opened } = settled;
        let expect = if is_contested { Expect::Anything } else { Expect::Version(*opened) };
        let open = self.keys.open(record.number);
        let mut batch = vec![TableWrite { key: open, expect, change: EntryChange::Remove }];
        if is_contested || record.outcome != AuditOutcome::Done {
            batch.push(self.outcome(record)?);
        }
        Ok(batch)
    }

    /// The record with what became of it.
    fn outcome(&self, record: &AuditRecord) -> Result<TableWrite, Error> {
        let (key, change) = (self.keys.record(record.number), EntryChange::Put(encode(record)?));
        Ok(TableWrite { key, expect: Expect::Anything, change })
    }

    fn known(&self) -> MutexGuard<'_, KnownRecords> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what somebody else concluded of a record, if it is still open; says whether it was.
    pub(super) async fn conclude(&self, number: u64, outcome: AuditOutcome) -> Result<bool, Error> {
        let Some((record, Some(opened))) = self.written(number).await? else { return Ok(false) };
        let concluded = Begun { record: AuditRecord { outcome, ..record }, opened };
        match self.table.commit(self.ending(&concluded, false)?).await {
            Err(piton_store::Error::Conflict { .. }) => Ok(false),
            committed => Ok(committed.map(|_| true)?),
        }
    }

    /// A record by its number, with its outcome if that is known here.
    pub async fn record(&self, number: u64) -> Result<Option<AuditRecord>, Error> {
        let known = |known: &KnownRecords| {
            known
                .unwritten
                .iter()
                .map(|settled| &settled.record)
                .find(|one| one.number == number)
                .cloned()
        };
        if let Some(known) = known(&self.known()) {
            return Ok(Some(known));
        }
        Ok(self.written(number).await?.map(|(record, _)| record))
    }

    /// A record as it is written, and the commit of its row among the open ones if there is one.
    async fn written(
        &self,
        number: u64,
    ) -> Result<Option<(AuditRecord, Option<EntryVersion>)>, Error> {
        // Read together: between two reads the outcome could be written.
        let keys = vec![self.keys.record(number), self.keys.open(number)];
        let [Some(entry), open] = &self.table.get_all(keys).await?[..] else { return Ok(None) };
        let mut record = decode(&entry.value)?;
        if record.outcome == AuditOutcome::Open && open.is_none() {
            record.outcome = AuditOutcome::Done;
        }
        Ok(Some((record, open.as_ref().map(|open| open.version))))
    }

    /// What was done in a run, oldest first: at most so many records, and how many more there are. Records of
    /// versions that named no node are left aside.
    pub async fn of_run(
        &self,
        workspaces: &Workspaces,
        run: &str,
        max: usize,
    ) -> Result<(Vec<AuditRecord>, usize), Error> {
        let numbers = self.numbers(&self.keys.all_of_run(run)).await?;
        let mut records = Vec::new();
        for number in numbers.iter().take(max) {
            if let Some(record) = self.record(*number).await? {
                records.push(self.render(workspaces, record).await?);
            }
        }
        Ok((records, numbers.len().saturating_sub(max)))
    }

    /// Whether a repair took rows out of the table in which the records are.
    pub(super) async fn follows_a_repair(&self) -> Result<bool, Error> {
        Ok(has_taken_out(&*self.table).await?)
    }

    /// The numbers of all records, in order.
    pub(super) async fn all_numbers(&self) -> Result<Vec<u64>, Error> {
        self.numbers(&self.keys.all_records()).await
    }

    /// The numbers that rows under a prefix lead to, in order.
    pub(super) async fn numbers(&self, prefix: &[u8]) -> Result<Vec<u64>, Error> {
        Ok(self.newest_numbers(prefix, usize::MAX).await?.0)
    }

    /// The last of the numbers that rows under a prefix lead to, at most so many and in order, and how many come before.
    pub(super) async fn newest_numbers(
        &self,
        prefix: &[u8],
        max: usize,
    ) -> Result<(Vec<u64>, usize), Error> {
        let (mut numbers, mut before) = (Vec::new(), 0);
        let mut after = None;
        loop {
            let page = self.table.scan(prefix, after.as_deref(), AUDIT_PAGE).await?;
            numbers.extend(page.entries.iter().filter_map(|entry| number_of(&entry.key)));
            let too_many = numbers.len().saturating_sub(max);
            numbers.drain(..too_many);
            before += too_many;
            after = page.entries.last().map(|entry| Arc::clone(&entry.key));
            if !page.more {
                return Ok((numbers, before));
            }
        }
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

/// The number of the record that a row holds, if it cannot be read.
pub(crate) fn damaged_record(entry: &TableEntry) -> Option<u64> {
    let is_damaged = is_record(&entry.key) && decode(&entry.value).is_err();
    if is_damaged { number_of(&entry.key) } else { None }
}

fn decode(bytes: &[u8]) -> Result<AuditRecord, Error> {
    serde_json::from_slice(bytes).map_err(|_| Error::Data(Code::StoreInvariantViolation))
}
