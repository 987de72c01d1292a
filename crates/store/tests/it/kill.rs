//! Writers that die without warning, and writers that fight.

use std::path::Path;
use std::time::Instant;

use piton_core::port::fixed::SeededEntropy;
use piton_store::local::{DataDir, LogJournal, SegmentedJournal};
use piton_store::port::{Journal, JournalReader};
use piton_store::testing::contract::journal::append;
use piton_store::testing::{LongRun, Sample};
use piton_store::{Error, StreamId};

use crate::site::{Open, SESSION, block_on, open};
use crate::worker::{answers, go, print_line, spawn, wait_for_go};

/// Events of one plan.
const EVENTS: u64 = 3;

fn journal<J: Journal<Sample>>(root: &str, layout: Open<J>) -> J {
    open(DataDir::open(Path::new(root)).unwrap(), layout)
}

/// In a child: appends plans to a stream until it is killed, and says each that is acknowledged.
pub(crate) fn append_for_ever(arguments: &[&str]) {
    let [root, layout, stream] = arguments else { panic!("{arguments:?}") };
    match *layout {
        "segmented" => append_all(&journal(root, SegmentedJournal::sessions), stream),
        _ => append_all(&journal(root, LogJournal::backpacks), stream),
    }
}

fn append_all<J: Journal<Sample>>(journal: &J, stream: &str) {
    let name: StreamId = stream.parse().unwrap();
    block_on(async {
        let lease = journal.lease(&name).await.unwrap();
        loop {
            let plan = format!("p{}", lease.next_event().get());
            append(journal, &lease, EVENTS, &plan).await.unwrap();
            print_line(&lease.next_event().get().to_string());
        }
    });
}

/// In a child: takes the lease of a session, says so, and keeps it until it is told to go on.
pub(crate) fn hold(arguments: &[&str]) {
    let [root] = arguments else { panic!("{arguments:?}") };
    let journal = journal(root, SegmentedJournal::<Sample>::sessions);
    let lease = block_on(journal.lease(&SESSION.parse().unwrap())).unwrap();
    print_line("held");
    wait_for_go();
    drop(lease);
    print_line("freed");
}

/// In a child: appends a number of plans to a session that others want too.
pub(crate) fn fight(arguments: &[&str]) {
    let [root, name, plans] = arguments else { panic!("{arguments:?}") };
    let journal = journal(root, SegmentedJournal::<Sample>::sessions);
    let session: StreamId = SESSION.parse().unwrap();
    let (mut done, mut refused) = (0, 0_u64);
    block_on(async {
        while done < plans.parse::<u64>().unwrap() {
            match journal.lease(&session).await {
                Ok(lease) => {
                    append(&journal, &lease, EVENTS, &format!("{name}{done}")).await.unwrap();
                    done += 1;
                }
                Err(Error::Locked { .. }) => {
                    refused += 1;
                    tokio::task::yield_now().await;
                }
                Err(error) => panic!("{error}"),
            }
        }
    });
    print_line(&refused.to_string());
}

struct Killing {
    kills: u64,
    acknowledged: u64,
    unacknowledged: u64,
    torn: u64,
    repaired: u64,
}

/// Kills writers of `layout`, and looks at what each left behind.
fn kill_writers<J: Journal<Sample>>(
    kills: u64,
    seed: u64,
    layout: &str,
    open_layout: Open<J>,
) -> Killing {
    let luck = SeededEntropy::new(seed);
    let root = tempfile::tempdir().unwrap();
    let root = root.path().to_str().unwrap();
    let mut tally = Killing { kills, acknowledged: 0, unacknowledged: 0, torn: 0, repaired: 0 };
    let mut acknowledged = 0;
    for kill in 0..kills {
        // A new stream now and then, so that first appends are cut off too.
        let stream = format!("sess_{}", kill / 8);
        if kill % 8 == 0 {
            acknowledged = 0;
        }
        let mut child = spawn("journal-append", &[root, layout, &stream]);
        let mut said = answers(&mut child);
        // From nothing to a few appends, and then a moment in the middle of one.
        for _ in 0..luck.next_u64() % 4 {
            acknowledged = said.next().unwrap().parse().unwrap();
        }
        let pause = Instant::now();
        let moment = u128::from(luck.next_u64() % 4_000);
        while pause.elapsed().as_micros() < moment {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if let Some(last) = said.last() {
            acknowledged = last.parse().unwrap();
        }
        let journal = journal(root, open_layout);
        let found = look(&journal, &stream.parse().unwrap(), acknowledged, &mut tally);
        tally.unacknowledged += (found - acknowledged) / EVENTS;
        acknowledged = found;
        tally.acknowledged += found / EVENTS;
    }
    tally
}

/// Opens a stream whose writer was killed; returns how many events it holds.
fn look<J: Journal<Sample>>(
    journal: &J,
    stream: &StreamId,
    acknowledged: u64,
    tally: &mut Killing,
) -> u64 {
    block_on(async {
        let lease = match journal.lease(stream).await {
            Err(Error::NotHealthy { .. }) => {
                tally.repaired += 1;
                journal.repair(stream).await.unwrap();
                journal.lease(stream).await.unwrap()
            }
            lease => lease.unwrap(),
        };
        tally.torn += u64::from(lease.torn_tail().is_some());
        let found = lease.next_event().get();
        assert!(found >= acknowledged, "{found} events of {acknowledged} acknowledged ones");
        assert_eq!(found % EVENTS, 0, "a plan is there in part");
        assert!(found - acknowledged <= EVENTS, "more than the one plan in flight");
        if found > 0 {
            let loaded = journal.load(stream).await.unwrap();
            for (place, event) in loaded.events.iter().enumerate() {
                let (plan, place) = (place as u64 / EVENTS * EVENTS, place as u64 % EVENTS);
                assert_eq!(event.text, format!("what happened: p{plan}-{place}"));
            }
        }
        found
    })
}

mod long {
    use super::*;

    fn report(run: LongRun, tally: &Killing) {
        let counts = [
            ("kills", tally.kills),
            ("plans", tally.acknowledged),
            ("whole but unacknowledged", tally.unacknowledged),
            ("torn tails", tally.torn),
            ("repairs", tally.repaired),
        ];
        println!("{counts:?}");
        run.report(&counts);
        assert_eq!(tally.repaired, 0, "no kill leaves a session that needs repair");
        assert!(tally.acknowledged > tally.kills / 2, "the writers got to write");
    }

    // shows: WR-062, WR-085, WR-553
    #[test]
    fn a_session_survives_its_writers() {
        let run = LongRun::start("kill: writers of sessions");
        println!("{run}");
        let kills = LongRun::size(200, 2_000);
        let tally = kill_writers(kills, run.seed(), "segmented", SegmentedJournal::sessions);
        report(run, &tally);
    }

    #[test]
    fn a_log_survives_its_writers() {
        let run = LongRun::start("kill: writers of logs");
        println!("{run}");
        let kills = LongRun::size(50, 500);
        let tally = kill_writers(kills, run.seed(), "log", LogJournal::backpacks);
        report(run, &tally);
    }
}

mod processes {
    use super::*;

    // shows: WR-084, WR-085, WR-087
    #[test]
    fn a_session_has_one_writer_and_is_free_when_it_dies() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().to_str().unwrap();
        let session: StreamId = SESSION.parse().unwrap();
        let own = journal(root, SegmentedJournal::<Sample>::sessions);
        let mut child = spawn("journal-hold", &[root]);
        let mut said = answers(&mut child);
        assert_eq!(said.next().unwrap(), "held");
        let error = block_on(own.lease(&session)).unwrap_err();
        let envelope = error.envelope();
        assert_eq!(envelope.code, piton_core::Code::SessionLocked);
        assert_ne!(envelope.retry, piton_core::Retry::NotRetryable);
        go(&mut child);
        assert_eq!(said.next().unwrap(), "freed");
        drop(block_on(own.lease(&session)).unwrap());
        assert!(child.wait().unwrap().success());

        let mut child = spawn("journal-hold", &[root]);
        assert_eq!(answers(&mut child).next().unwrap(), "held");
        assert!(block_on(own.lease(&session)).is_err());
        child.kill().unwrap();
        child.wait().unwrap();
        drop(block_on(own.lease(&session)).unwrap());
    }

    // shows: WR-056, WR-084
    #[test]
    fn writers_that_fight_for_a_session_lose_nothing() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().to_str().unwrap();
        let plans = 60;
        let mut children: Vec<_> = ["a", "b", "c"]
            .map(|name| spawn("journal-fight", &[root, name, &plans.to_string()]))
            .into();
        let refused: u64 = children
            .iter_mut()
            .map(|child| answers(child).next().unwrap().parse::<u64>().unwrap())
            .sum();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        println!("{refused} times refused");
        let own = journal(root, SegmentedJournal::<Sample>::sessions);
        let events = block_on(own.load(&SESSION.parse().unwrap())).unwrap().events;
        assert_eq!(events.len() as u64, 3 * plans * EVENTS);
    }
}
