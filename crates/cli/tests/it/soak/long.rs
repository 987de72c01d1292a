//! The run itself.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use piton_store::testing::LongRun;

use super::{
    house::{is_in_order, look_after, project},
    worker::{Tally, Worker},
};

const AGENTS: u64 = 4;

/// How long the agents work at full size.
const SOAK: Duration = Duration::from_mins(30);

#[test]
fn agents_that_use_everything_and_are_killed_leave_everything_in_order() {
    let run = LongRun::start("soak: 4 agents, every tool set, servers killed");
    println!("{run}");
    let (seed, began) = (run.seed(), Instant::now());
    // The normal size is a number of calls, so that a slow machine does the same work.
    let calls = LongRun::size(150, u64::MAX);
    let is_over = |tally: &Tally| tally.calls >= calls || began.elapsed() >= SOAK;
    let rig = project();
    let is_done = AtomicBool::new(false);
    let (mut workers, rounds, busy) = thread::scope(|scope| {
        let work = |number| {
            let mut worker = Worker::new(&rig, number, seed);
            while !is_over(&worker.tally) {
                worker.act();
            }
            worker
        };
        let agents: Vec<_> = (0..AGENTS).map(|number| scope.spawn(move || work(number))).collect();
        let house = scope.spawn(|| {
            let (mut rounds, mut busy) = (0, 0);
            while !is_done.load(Ordering::Relaxed) {
                busy += look_after(&rig, rounds);
                rounds += 1;
            }
            (rounds, busy)
        });
        let ended: Vec<_> = agents.into_iter().map(thread::ScopedJoinHandle::join).collect();
        is_done.store(true, Ordering::Relaxed);
        let (rounds, busy) = house.join().unwrap();
        let workers: Vec<Worker> = ended.into_iter().map(|worker| worker.unwrap()).collect();
        (workers, rounds, busy)
    });
    workers.iter_mut().for_each(Worker::recall);
    let sessions = is_in_order(&rig);
    rig.says(&["session", "gc"]);
    workers.iter_mut().for_each(Worker::recall);
    let total: Tally = workers.iter().map(|worker| worker.tally).sum();
    workers.into_iter().for_each(Worker::leave);
    let counts = [
        ("calls", total.calls),
        ("calls repeated", total.repeated),
        ("kills", total.kills),
        ("replies lost", total.lost),
        ("runs finished", total.runs),
        ("sessions", sessions),
        ("changes of files", total.writes),
        ("packs", total.packs),
        ("frames", total.frames),
        ("rounds of housekeeping", rounds),
        ("commands that had to wait", busy),
    ];
    println!("{counts:?}");
    run.report(&counts);
    assert!(total.kills > 0 && total.lost > 0, "the servers were killed: {counts:?}");
    assert!(total.packs.min(total.writes).min(total.frames) > 0, "every set is used: {counts:?}");
}
