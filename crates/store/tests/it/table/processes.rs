//! Eight processes change the same keys, some are killed, and a reader stops in the middle.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use std::{fs, thread};

use piton_core::port::fixed::SeededEntropy;
use piton_store::Error;
use piton_store::bounds::TABLE_WAL_BYTES_MAX;
use piton_store::local::LocalTable;
use piton_store::port::{Expect, Table, TableEntry, TableWrite};
use tempfile::TempDir;

use super::{open, put};
use crate::worker;

/// Keys that all processes count in.
const COUNTERS: u64 = 8;

/// Keys that the stalled reader pages through.
const PAGED: usize = 100;

/// What each commit writes beside its counters, so that all of them together would overflow the
/// write-ahead log if it were not folded back.
const PADDING_BYTES: usize = 256 * 1024;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn counter(number: u64) -> String {
    format!("counter/{number}")
}

/// The commit number `commit` of a life: `done/<lane>/<life>/<commit>`.
fn done(lane: &str, life: &str, commit: u64) -> String {
    format!("done/{lane}/{life}/{commit:06}")
}

fn count(entry: &TableEntry) -> u64 {
    u64::from_be_bytes(entry.value.as_slice().try_into().unwrap())
}

/// In a child: counts up two counters at a time, and says so after each commit.
pub(crate) fn increment(arguments: &[&str]) {
    let [root, lane, life, commits, seed] = arguments else { panic!("{arguments:?}") };
    let luck = SeededEntropy::new(seed.parse().unwrap());
    let table = open(Path::new(root));
    block_on(async {
        for commit in 0..commits.parse().unwrap() {
            let first = luck.next_u64() % COUNTERS;
            let second = (first + 1 + luck.next_u64() % (COUNTERS - 1)) % COUNTERS;
            while !increment_once(&table, [first, second], &done(lane, life, commit), lane).await {}
            worker::print_line(&commit.to_string());
        }
    });
}

/// Tries one commit; `false` if another process was faster.
async fn increment_once(table: &LocalTable, counters: [u64; 2], done: &str, lane: &str) -> bool {
    let mut batch: Vec<TableWrite> = Vec::new();
    for name in counters.map(counter) {
        let entry = table.get(name.as_bytes()).await.unwrap().unwrap();
        let next = (count(&entry) + 1).to_be_bytes();
        batch.push(put(&name, Expect::Version(entry.version), next));
    }
    batch.push(put(done, Expect::Absent, ""));
    batch.push(put(&format!("padding/{lane}"), Expect::Anything, vec![1; PADDING_BYTES]));
    match table.commit(batch).await {
        Ok(_) => true,
        Err(Error::Conflict { keys }) => {
            assert!(keys.iter().all(|place| *place < 2), "a commit was done twice: {keys:?}");
            false
        }
        // Also that it was busy: every commit is short, so each one gets its turn in time.
        Err(other) => panic!("{other}"),
    }
}

/// In a child: reads one page, stops until it is told to go on, and reads the rest.
pub(crate) fn page(arguments: &[&str]) {
    let [root] = arguments else { panic!("{arguments:?}") };
    let table = open(Path::new(root));
    block_on(async {
        let mut page = table.scan(b"paged/", None, PAGED / 4).await.unwrap();
        let mut seen = page.entries.len();
        worker::print_line("stalled");
        worker::wait_for_go();
        while page.more {
            let last = page.entries.last().unwrap().key.clone();
            page = table.scan(b"paged/", Some(&last), PAGED / 4).await.unwrap();
            seen += page.entries.len();
        }
        worker::print_line(&seen.to_string());
    });
}

/// What one life of a process left behind.
struct Life {
    lane: String,
    number: String,
    acknowledged: u64,
    killed: bool,
}

/// Lives one after the other in one lane; all but the last are killed at a random place.
fn lane(root: &Path, lane: u64, lives: u64, commits: u64, seed: u64, log: &AtomicU64) -> Vec<Life> {
    let luck = SeededEntropy::new(seed ^ lane);
    let one = |life: u64| {
        let killed = life + 1 < lives;
        let kill_after = luck.next_u64() % commits;
        let (lane, number, seed) =
            (lane.to_string(), life.to_string(), luck.next_u64().to_string());
        let root_text = root.to_str().unwrap();
        let arguments = [root_text, &lane, &number, &commits.to_string(), &seed];
        let mut child = worker::spawn("table-increment", &arguments);
        let mut acknowledged = 0;
        let mut answers = worker::answers(&mut child);
        loop {
            if killed && acknowledged == kill_after {
                // Anywhere in what it does next, which takes about as long.
                thread::sleep(Duration::from_micros(luck.next_u64() % 20_000));
                child.kill().unwrap();
            }
            // What the child said before it was killed is still in the pipe.
            let Some(answer) = answers.next() else { break };
            assert_eq!(answer, acknowledged.to_string());
            acknowledged += 1;
            let bytes = fs::metadata(root.join("table.sqlite3-wal")).map_or(0, |file| file.len());
            log.fetch_max(bytes, Ordering::Relaxed);
        }
        let status = child.wait().unwrap();
        if !killed {
            assert!(status.success() && acknowledged == commits, "{status}");
        }
        Life { lane, number, acknowledged, killed }
    };
    (0..lives).map(one).collect()
}

/// Every key with a prefix.
async fn all(table: &LocalTable, prefix: &str) -> BTreeMap<String, TableEntry> {
    let mut entries = BTreeMap::new();
    let mut after = None;
    loop {
        let page = table.scan(prefix.as_bytes(), after.as_deref(), 1_000).await.unwrap();
        after = page.entries.last().map(|entry| entry.key.to_vec());
        for entry in page.entries {
            entries.insert(String::from_utf8(entry.key.to_vec()).unwrap(), entry);
        }
        if !page.more {
            return entries;
        }
    }
}

/// Checks that exactly what was acknowledged happened, give or take the one commit that a killed
/// process had not reported. Returns how many such commits there were.
async fn check(table: &LocalTable, lives: &[Life]) -> u64 {
    let commits = all(table, "done/").await;
    let mut untold = 0;
    let mut told = 0;
    for life in lives {
        let prefix = format!("done/{}/{}/", life.lane, life.number);
        let found = commits.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix));
        let found = found.count() as u64;
        for commit in 0..found {
            assert!(commits.contains_key(&done(&life.lane, &life.number, commit)), "a gap");
        }
        assert!(found >= life.acknowledged, "an acknowledged commit is lost");
        let more = found - life.acknowledged;
        assert!(more <= u64::from(life.killed), "{more} commits were not told of");
        told += life.acknowledged;
        untold += more;
    }
    assert_eq!(commits.len() as u64, told + untold, "no commit is of an unknown life");
    let sum: u64 = all(table, "counter/").await.values().map(count).sum();
    assert_eq!(sum, 2 * (told + untold), "an increment is lost or was done twice");
    untold
}

mod long {
    use piton_store::testing::LongRun;

    use super::*;

    const LANES: u64 = 8;
    const COMMITS: u64 = 25;

    #[test]
    fn processes_that_count_together_lose_nothing_when_some_are_killed() {
        let run = LongRun::start("table: 8 processes count, some are killed, a reader stalls");
        println!("{run}");
        let lives = LongRun::size(4, 60);
        let root = TempDir::new().unwrap();
        let table = open(root.path());
        let zero = 0_u64.to_be_bytes();
        let mut batch: Vec<TableWrite> =
            (0..COUNTERS).map(|number| put(&counter(number), Expect::Absent, zero)).collect();
        batch.extend(
            (0..PAGED).map(|number| put(&format!("paged/{number:03}"), Expect::Absent, "")),
        );
        block_on(table.commit(batch)).unwrap();

        let mut reader = worker::spawn("table-page", &[root.path().to_str().unwrap()]);
        let mut answers = worker::answers(&mut reader);
        assert_eq!(answers.next().as_deref(), Some("stalled"));

        let log = AtomicU64::new(0);
        let (path, seed) = (root.path(), run.seed());
        let ended: Vec<Life> = thread::scope(|scope| {
            let one = |number| {
                let log = &log;
                scope.spawn(move || lane(path, number, lives, COMMITS, seed, log))
            };
            let running: Vec<_> = (0..LANES).map(one).collect();
            running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });

        worker::go(&mut reader);
        assert_eq!(answers.next(), Some(PAGED.to_string()), "the reader saw every key once");
        assert!(reader.wait().unwrap().success());

        let untold = block_on(check(&table, &ended));
        let status = block_on(table.status()).unwrap();
        assert!(status.problems.is_empty() && status.wal_bounded, "{status:?}");
        let log = log.into_inner();
        assert!(log <= TABLE_WAL_BYTES_MAX, "the write-ahead log had {log} bytes");
        let acknowledged: u64 = ended.iter().map(|life| life.acknowledged).sum();
        assert!(
            acknowledged * PADDING_BYTES as u64 > TABLE_WAL_BYTES_MAX,
            "too little was written to show that the log is bounded"
        );
        run.report(&[
            ("acknowledged", acknowledged),
            ("kills", ended.iter().filter(|life| life.killed).count() as u64),
            ("committedUntold", untold),
            ("walBytesMax", log),
        ]);
    }
}
