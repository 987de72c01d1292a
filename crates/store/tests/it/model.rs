//! The journal against a model, by random operations of two processes.

use std::collections::{HashMap, HashSet};

use piton_core::DedupeKey;
use piton_store::port::{Appended, Cursor, Follow, Journal, StreamLease};
use piton_store::testing::{Sample, SimDisk, sample_plan};
use piton_store::{Error, StreamId};
use proptest::prelude::*;

use crate::site::{backpacks, block_on, sessions};

/// One step. Streams and processes are numbers; plans are named, and names repeat on purpose.
#[derive(Debug, Clone)]
enum Step {
    Lease { process: usize, stream: usize },
    Release { process: usize, stream: usize },
    Append { process: usize, stream: usize, plan: u8, events: u64 },
    Load { process: usize, stream: usize },
    Follow { process: usize, stream: usize },
    Lookup { process: usize, stream: usize, plan: u8 },
    Delete { process: usize, stream: usize },
    PowerCut,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let place = || (0..2_usize, 0..2_usize);
    let step = prop_oneof![
        3 => place().prop_map(|(process, stream)| Step::Lease { process, stream }),
        2 => place().prop_map(|(process, stream)| Step::Release { process, stream }),
        8 => (place(), 0..12_u8, 1..5_u64).prop_map(|((process, stream), plan, events)| {
            Step::Append { process, stream, plan, events }
        }),
        2 => place().prop_map(|(process, stream)| Step::Load { process, stream }),
        3 => place().prop_map(|(process, stream)| Step::Follow { process, stream }),
        3 => (place(), 0..12_u8)
            .prop_map(|((process, stream), plan)| Step::Lookup { process, stream, plan }),
        1 => place().prop_map(|(process, stream)| Step::Delete { process, stream }),
        1 => Just(Step::PowerCut),
    ];
    prop::collection::vec(step, 1..60)
}

/// What the streams should hold: the facts of their events, in order.
#[derive(Default)]
struct Model {
    streams: HashMap<usize, Vec<String>>,
    plans: HashMap<(usize, u8), u64>,
    /// Raised whenever a stream starts anew.
    lives: HashMap<usize, u64>,
}

struct World<J> {
    open: fn(&SimDisk) -> J,
    disk: SimDisk,
    processes: Vec<J>,
    leases: HashMap<(usize, usize), StreamLease>,
    cursors: HashMap<(usize, usize), (u64, Cursor)>,
    model: Model,
}

fn name(stream: usize) -> StreamId {
    format!("sess_{stream}").parse().unwrap()
}

fn fact(plan: u8, event: u64) -> String {
    format!("what happened: p{plan}-{event}")
}

impl<J: Journal<Sample>> World<J> {
    fn new(open: fn(&SimDisk) -> J) -> Self {
        let disk = SimDisk::new();
        let processes = vec![open(&disk), open(&disk)];
        let (leases, cursors) = (HashMap::new(), HashMap::new());
        Self { open, disk, processes, leases, cursors, model: Model::default() }
    }

    async fn take(&mut self, step: &Step) {
        match *step {
            Step::Lease { process, stream } => self.lease(process, stream).await,
            Step::Release { process, stream } => {
                self.leases.remove(&(process, stream));
            }
            Step::Append { process, stream, plan, events } => {
                self.append(process, stream, plan, events).await;
            }
            Step::Load { process, stream } => self.load(process, stream).await,
            Step::Follow { process, stream } => self.follow(process, stream).await,
            Step::Lookup { process, stream, plan } => self.lookup(process, stream, plan).await,
            Step::Delete { process, stream } => self.delete(process, stream).await,
            Step::PowerCut => {
                self.leases.clear();
                self.cursors.clear();
                self.disk = self.disk.after_losing_all();
                self.processes = vec![(self.open)(&self.disk), (self.open)(&self.disk)];
            }
        }
    }

    fn holder(&self, stream: usize) -> Option<usize> {
        (0..2).find(|process| self.leases.contains_key(&(*process, stream)))
    }

    async fn lease(&mut self, process: usize, stream: usize) {
        match self.processes[process].lease(&name(stream)).await {
            Ok(lease) => {
                assert_eq!(self.holder(stream), None, "two writers");
                self.leases.insert((process, stream), lease);
            }
            Err(Error::Locked { .. }) => assert!(self.holder(stream).is_some(), "nobody has it"),
            Err(error) => panic!("{error}"),
        }
    }

    async fn append(&mut self, process: usize, stream: usize, plan: u8, events: u64) {
        let Some(lease) = self.leases.get(&(process, stream)) else { return };
        let known = self.model.streams.entry(stream).or_default();
        assert_eq!(lease.next_event().get(), known.len() as u64);
        let append = sample_plan(&name(stream), known.len() as u64, events, &format!("p{plan}"));
        let outcome = self.processes[process].append(&lease.writer(), append).await;
        let before = self.model.plans.get(&(stream, plan)).copied().unwrap_or(0);
        match outcome {
            Ok(Appended::Committed { first, .. }) => {
                assert_eq!((before, first.get()), (0, known.len() as u64));
                known.extend((0..events).map(|event| fact(plan, event)));
                self.model.plans.insert((stream, plan), events);
            }
            Ok(Appended::AlreadyPresent { indices }) => {
                assert!(events <= before, "not all of them were there");
                for (event, index) in indices.iter().enumerate() {
                    let at = usize::try_from(index.get()).unwrap();
                    assert_eq!(known[at], fact(plan, event as u64));
                }
            }
            Err(Error::PlanRefused { .. }) => assert!(before > 0 && events > before, "no reason"),
            Err(error) => panic!("{error}"),
        }
    }

    async fn load(&mut self, process: usize, stream: usize) {
        let expected = self.model.streams.get(&stream).cloned().unwrap_or_default();
        match self.processes[process].load(&name(stream)).await {
            Ok(loaded) => {
                let found: Vec<String> =
                    loaded.events.into_iter().map(|event| event.text).collect();
                assert_eq!(found, expected);
                let life = self.model.lives.get(&stream).copied().unwrap_or(0);
                self.cursors.insert((process, stream), (life, loaded.cursor));
            }
            Err(Error::NotFound { .. }) => assert!(expected.is_empty()),
            Err(error) => panic!("{error}"),
        }
    }

    async fn follow(&mut self, process: usize, stream: usize) {
        let Some((life, cursor)) = self.cursors.get(&(process, stream)).copied() else { return };
        let now = self.model.lives.get(&stream).copied().unwrap_or(0);
        let expected = self.model.streams.get(&stream).cloned().unwrap_or_default();
        let seen = usize::try_from(cursor.next_event().get()).unwrap();
        match self.processes[process].follow(&name(stream), &cursor).await.unwrap() {
            Follow::Replaced => {
                assert_ne!(life, now, "nothing was replaced");
                self.cursors.remove(&(process, stream));
            }
            Follow::Unchanged => {
                assert_eq!((life, seen), (now, expected.len()));
            }
            Follow::Appended { events, cursor } => {
                assert_eq!(life, now);
                let found: Vec<String> = events.into_iter().map(|event| event.text).collect();
                assert_eq!(found, expected[seen..]);
                self.cursors.insert((process, stream), (life, cursor));
            }
        }
    }

    async fn lookup(&mut self, process: usize, stream: usize, plan: u8) {
        let key = DedupeKey::new("sample", &[&name(stream), &format!("p{plan}-0")]).unwrap();
        let found = self.processes[process].lookup(&name(stream), &key).await.unwrap();
        let known = self.model.streams.get(&stream).cloned().unwrap_or_default();
        let expected = known.iter().position(|text| *text == fact(plan, 0));
        assert_eq!(found.map(|index| usize::try_from(index.get()).unwrap()), expected);
    }

    async fn delete(&mut self, process: usize, stream: usize) {
        let Some(lease) = self.leases.remove(&(process, stream)) else { return };
        self.processes[process].delete(lease).await.unwrap();
        self.model.streams.remove(&stream);
        self.model.plans.retain(|(of, _), _| *of != stream);
        *self.model.lives.entry(stream).or_default() += 1;
    }

    async fn check_all(&mut self) {
        self.leases.clear();
        for stream in 0..2 {
            for process in 0..2 {
                self.load(process, stream).await;
            }
        }
        let listed: HashSet<StreamId> =
            self.processes[0].streams().await.unwrap().into_iter().collect();
        let full = self.model.streams.iter().filter(|(_, events)| !events.is_empty());
        assert_eq!(listed, full.map(|(stream, _)| name(*stream)).collect());
    }
}

fn run<J: Journal<Sample>>(open: fn(&SimDisk) -> J, steps: &[Step]) {
    block_on(async {
        let mut world = World::new(open);
        for step in steps {
            world.take(step).await;
        }
        world.check_all().await;
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    // shows: WR-062, WR-069, WR-084
    #[test]
    fn a_session_does_what_the_model_does(steps in steps()) {
        run(sessions, &steps);
    }

    #[test]
    fn a_log_does_what_the_model_does(steps in steps()) {
        run(backpacks, &steps);
    }
}
