//! The records of one set of Mounts.

use std::sync::Arc;

use piton_core::{Clock, Code};
use piton_store::port::{Change, Expect, Table, Write};

use super::{
    keys::{Keys, number_of},
    record::{Intent, Outcome, Record, VERSION},
};
use crate::{
    bounds::{ACTOR_BYTES_MAX, AUDIT_PAGE, COMMIT_TRIES_MAX},
    error::Error,
    files::Actor,
};

/// The records of one set of Mounts.
pub struct Ledger {
    table: Arc<dyn Table>,
    clock: Arc<dyn Clock>,
    pub(super) keys: Keys,
}

impl Ledger {
    /// The records under a name: those who share the Mounts share the name.
    pub fn new(table: Arc<dyn Table>, clock: Arc<dyn Clock>, name: &str) -> Self {
        Self { table, clock, keys: Keys::of(name) }
    }

    /// Records what is about to be done, and returns the number of the record.
    pub async fn intend(&self, intent: &Intent) -> Result<u64, Error> {
        let mut intent = intent.clone();
        shorten(&mut intent.actor);
        for _ in 0..COMMIT_TRIES_MAX {
            let next = self.table.get(&self.keys.next()).await?;
            let number = next.as_ref().and_then(|entry| number_of(&entry.value)).unwrap_or(0);
            let expect = next.map_or(Expect::Absent, |entry| Expect::Version(entry.version));
            let record = Record {
                v: VERSION,
                number,
                timestamp_ms: self.clock.now_ms(),
                intent: intent.clone(),
                outcome: Outcome::Open,
            };
            let put =
                |key, value| Write { key, expect: Expect::Absent, change: Change::Put(value) };
            let mut batch = vec![
                Write {
                    key: self.keys.next(),
                    expect,
                    change: Change::Put((number + 1).to_be_bytes().to_vec()),
                },
                put(self.keys.record(number), encode(&record)?),
                put(self.keys.open(number), Vec::new()),
                put(self.keys.path(&intent.path, number), Vec::new()),
            ];
            if let Some(target) = intent.target.as_ref().filter(|target| **target != intent.path) {
                batch.push(put(self.keys.path(target, number), Vec::new()));
            }
            if let Some(run) = &intent.actor.run {
                batch.push(put(self.keys.run(run, number), Vec::new()));
            }
            match self.table.commit(batch).await {
                Ok(_) => return Ok(number),
                Err(piton_store::Error::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Data(Code::StoreBusy))
    }

    /// Adds what became of an intention, as the one who made it knows.
    pub async fn settle(&self, number: u64, done: bool) -> Result<(), Error> {
        let outcome = if done { Outcome::Done } else { Outcome::Undone };
        self.conclude(number, outcome).await
    }

    pub(super) async fn conclude(&self, number: u64, outcome: Outcome) -> Result<(), Error> {
        let Some(record) = self.record(number).await? else {
            return Ok(());
        };
        let record = Record { outcome, ..record };
        let change = |key, change| Write { key, expect: Expect::Anything, change };
        let batch = vec![
            change(self.keys.record(number), Change::Put(encode(&record)?)),
            change(self.keys.open(number), Change::Remove),
        ];
        self.table.commit(batch).await?;
        Ok(())
    }

    /// A record by its number.
    pub async fn record(&self, number: u64) -> Result<Option<Record>, Error> {
        let entry = self.table.get(&self.keys.record(number)).await?;
        entry.map(|entry| decode(&entry.value)).transpose()
    }

    /// What was done in a run, oldest first: at most so many records, and how many more there are. Records of
    /// versions that named no node are left aside.
    pub async fn of_run(&self, run: &str, max: usize) -> Result<(Vec<Record>, usize), Error> {
        let numbers = self.numbers(&self.keys.all_of_run(run)).await?;
        let mut records = Vec::new();
        for number in numbers.iter().take(max) {
            records.extend(self.record(*number).await?);
        }
        Ok((records, numbers.len().saturating_sub(max)))
    }

    /// The numbers that rows under a prefix lead to, in order.
    pub(super) async fn numbers(&self, prefix: &[u8]) -> Result<Vec<u64>, Error> {
        let mut numbers = Vec::new();
        let mut after = None;
        loop {
            let page = self.table.scan(prefix, after.as_deref(), AUDIT_PAGE).await?;
            numbers.extend(page.entries.iter().filter_map(|entry| number_of(&entry.key)));
            after = page.entries.last().map(|entry| Arc::clone(&entry.key));
            if !page.more {
                return Ok(numbers);
            }
        }
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

fn encode(record: &Record) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(record).map_err(|_| Error::Data(Code::InternalError))
}

fn decode(bytes: &[u8]) -> Result<Record, Error> {
    serde_json::from_slice(bytes).map_err(|_| Error::Data(Code::StoreInvariantViolation))
}
