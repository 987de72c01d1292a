//! Records of changes that are made at the same time, by several servers with several calls each.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_core::{Clock, TimestampMs};
use piton_store::Error;
use piton_store::memory::MemoryTable;
use piton_store::port::{Batch, BoxFuture, EntryVersion, Key, Page, Table, TableEntry, TakenOut};
use piton_workspaces::audit::{AuditIntent, AuditOutcome, Ledger};
use piton_workspaces::path::LogicalPath;
use piton_workspaces::store::Before;
use piton_workspaces::{Actor, Tool};

/// A table that lets others go first, before and after each call, as often as a seed says.
#[derive(Clone)]
struct Hesitant {
    table: MemoryTable,
    luck: Arc<SeededEntropy>,
}

impl Hesitant {
    async fn hesitate(&self) {
        for _ in 0..self.luck.next_u64() % 4 {
            tokio::task::yield_now().await;
        }
    }

    fn slowly<'a, T: Send + 'a>(
        &'a self,
        call: BoxFuture<'a, Result<T, Error>>,
    ) -> BoxFuture<'a, Result<T, Error>> {
        Box::pin(async move {
            self.hesitate().await;
            let answer = call.await;
            self.hesitate().await;
            answer
        })
    }
}

impl Table for Hesitant {
    fn get<'a>(&'a self, key: &'a [u8]) -> BoxFuture<'a, Result<Option<TableEntry>, Error>> {
        self.slowly(self.table.get(key))
    }

    fn get_all(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Vec<Option<TableEntry>>, Error>> {
        self.slowly(self.table.get_all(keys))
    }

    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, Error>> {
        self.slowly(self.table.scan(prefix, after, limit))
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<EntryVersion, Error>> {
        self.slowly(self.table.commit(batch))
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Arc<dyn Table>, Error>> {
        self.table.snapshot()
    }

    fn taken_out<'a>(
        &'a self,
        visit: &'a mut (dyn FnMut(TakenOut) + Send),
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.table.taken_out(visit)
    }
}

fn intent(path: &str) -> AuditIntent {
    let path: LogicalPath = path.parse().unwrap();
    AuditIntent {
        actor: Actor { agent: "a".into(), ..Actor::default() },
        tool: Tool::Mkdir,
        workspace: "/p".parse().unwrap(),
        path,
        target: None,
        before: Before::Nothing,
        after: None,
        temp: None,
        source: None,
        origin: None,
    }
}

// shows in part: WS-058 (parallel changes)
#[tokio::test]
async fn records_of_parallel_changes_get_numbers_of_their_own_and_are_never_called_damaged() {
    const SERVERS: usize = 3;
    const CALLS: usize = 16;
    const CHANGES: usize = 4;
    for seed in 0..20 {
        let table = MemoryTable::new();
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(TimestampMs(1_000)));
        let mut calls = tokio::task::JoinSet::new();
        for server in 0..SERVERS {
            let luck = Arc::new(SeededEntropy::new(seed * 10 + server as u64));
            let own = Arc::new(Hesitant { table: table.clone(), luck });
            let ledger = Arc::new(Ledger::new(own, Arc::clone(&clock), "p"));
            for call in 0..CALLS {
                let ledger = Arc::clone(&ledger);
                calls.spawn(async move {
                    let mut numbers = Vec::new();
                    for change in 0..CHANGES {
                        let wanted = intent(&format!("/p/{server}/{call}/{change}"));
                        let begun = ledger.intend(&wanted).await.unwrap_or_else(|error| {
                            panic!("seed {seed}, server {server}, call {call}: {error:?}")
                        });
                        numbers.push((begun.record.number, begun.record.intent.path.clone()));
                        ledger.resolve(begun, true);
                    }
                    ledger.flush().await.unwrap();
                    numbers
                });
            }
        }
        let mut numbers: Vec<_> = calls.join_all().await.into_iter().flatten().collect();
        numbers.sort();
        let wanted = 0..(SERVERS * CALLS * CHANGES) as u64;
        assert!(numbers.iter().map(|(number, _)| *number).eq(wanted), "seed {seed}: {numbers:?}");
        let reader = Ledger::new(Arc::new(table), clock, "p");
        for (number, path) in numbers {
            let record = reader.record(number).await.unwrap().unwrap();
            assert_eq!(
                (record.intent.path, record.outcome),
                (path, AuditOutcome::Done),
                "seed {seed}"
            );
        }
    }
}

/// A clock that lets something happen when it is asked, once.
struct Meddling(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Clock for Meddling {
    fn now_ms(&self) -> TimestampMs {
        let meddle = self.0.lock().unwrap().take();
        if let Some(meddle) = meddle {
            meddle();
        }
        TimestampMs(1_000)
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

#[tokio::test]
async fn a_record_that_is_begun_and_settled_while_another_takes_its_number_stays_healthy() {
    let clock = Arc::new(Meddling(Mutex::new(None)));
    let table = Arc::new(MemoryTable::new());
    let ledger = Arc::new(Ledger::new(table, Arc::clone(&clock) as Arc<dyn Clock>, "p"));
    let begun = ledger.intend(&intent("/p/first")).await.unwrap();
    ledger.resolve(begun, true);
    let other = Arc::clone(&ledger);
    *clock.0.lock().unwrap() = Some(Box::new(move || {
        // A table in memory is never waited for.
        let wanted = intent("/p/other");
        let mut begun = pin!(other.intend(&wanted));
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(begun) = begun.as_mut().poll(&mut context) else {
            panic!("a table in memory is never waited for")
        };
        other.resolve(begun.unwrap(), true);
    }));
    let begun = ledger.intend(&intent("/p/mine")).await.unwrap();
    assert_eq!(begun.record.number, 2);
}
