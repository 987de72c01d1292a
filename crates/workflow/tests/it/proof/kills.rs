//! One call, and every fault at every call that it makes to the disk.
//!
//! After each fault the call is made again, by the same process if the power stayed on and by a new one after
//! it was cut. The session then holds what it held before or all that the call records; the answer is the one
//! that the first call would have had; and nobody had to repair anything.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use piton_core::port::NoTrace;
use piton_core::port::fixed::SeededEntropy;
use piton_core::{Code, SessionId};
use piton_store::local::{
    DataDir, LocalBlobs, LocalKeyRing, LocalLeases, SegmentedJournal, SystemClock,
};
use piton_store::port::BlobNamespace;
use piton_store::testing::{DiskFault, FaultKind, LongRun, SimDisk};
use piton_workflow::SessionEvent;
use piton_workflow::event::validate;
use piton_workflow::session::{
    Checkpoint, Continue, Error, Reply, Start, StartKey, SubmittedOutput,
};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::engine::samples::{step, workflow};
use crate::session::rig::{Rig, ack, object, start, strict_step};

/// A process that opens the store on a disk.
pub(super) fn open(disk: &SimDisk) -> Rig {
    opened(disk, 11)
}

pub(super) fn opened(disk: &SimDisk, seed: u64) -> Rig {
    let dir = DataDir::on(Arc::new(disk.clone()), Path::new("/")).expect("the disk works");
    let blobs = LocalBlobs::new(dir.clone());
    let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
    let keys = LocalKeyRing::new(dir.clone(), Arc::new(SeededEntropy::new(3)));
    let journal = SegmentedJournal::sessions(dir, blobs.clone(), leases, Arc::new(NoTrace));
    Rig::over(Arc::new(journal), Arc::new(blobs), Arc::new(keys), seed)
}

/// An answer as it is compared: a body as JSON.
type Answer<'a> = Pin<Box<dyn Future<Output = Result<String, Error>> + 'a>>;

/// A call that is made on a prepared session.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    call: for<'a> fn(&'a Rig, &'a Reply) -> Answer<'a>,
    /// Whether the first call of a process and a later one have the same ids. A run that begins has a new one.
    is_derived: bool,
}

fn json(body: &impl serde::Serialize) -> String {
    serde_json::to_string(body).expect("it is JSON")
}

fn keyed() -> Start {
    let key = StartKey { key: "A-1".to_owned(), project_dir: "/work".to_owned() };
    let context = object(json!({"ticket": "A-1"}));
    Start { key: Some(key), context, ..start(&workflow(&[step("first"), step("last")])) }
}

fn begin<'a>(rig: &'a Rig, _: &'a Reply) -> Answer<'a> {
    Box::pin(async { Ok(json(&rig.sessions.start(keyed()).await?.body)) })
}

fn go_on<'a>(rig: &'a Rig, reply: &'a Reply) -> Answer<'a> {
    let artifacts = vec![json!({"kind": "report", "text": "x".repeat(3000)})];
    let request = Continue {
        context: Some(object(json!({"found": 3}))),
        ..ack(reply, "```\nls\n```\nIt lists what is there.", artifacts)
    };
    Box::pin(async { Ok(json(&rig.sessions.proceed(request).await?.body)) })
}

fn get_blocked<'a>(rig: &'a Rig, reply: &'a Reply) -> Answer<'a> {
    Box::pin(async { Ok(json(&rig.sessions.proceed(ack(reply, "done", vec![])).await?.body)) })
}

fn bookmark<'a>(rig: &'a Rig, reply: &'a Reply) -> Answer<'a> {
    let request = Checkpoint {
        checkpoint_token: reply.body.checkpoint_token.clone().expect("a step is pending"),
        output: Some(SubmittedOutput {
            notes_markdown: Some("Before the risky part.".to_owned()),
            ..SubmittedOutput::default()
        }),
        label: None,
    };
    Box::pin(async { Ok(json(&rig.sessions.checkpoint(request).await?.body)) })
}

const CASES: [Case; 4] = [
    Case { name: "start", call: begin, is_derived: false },
    Case { name: "advance", call: go_on, is_derived: true },
    Case { name: "blocked", call: get_blocked, is_derived: true },
    Case { name: "checkpoint", call: bookmark, is_derived: true },
];

/// What happened over all the trials.
#[derive(Debug, Default)]
struct Tally {
    trials: u64,
    answered: u64,
    kept_old: u64,
    kept_new: u64,
    poisoned: u64,
}

/// What one case comes to when nothing goes wrong.
struct Trial {
    case: Case,
    start: SimDisk,
    asked: Reply,
    session: SessionId,
    old: Vec<SessionEvent>,
    new: Vec<SessionEvent>,
    answer: String,
    calls: u64,
}

async fn events(rig: &Rig, session: SessionId) -> Vec<SessionEvent> {
    match rig.journal.load(&session.into()).await {
        Ok(loaded) => loaded.events,
        Err(error) if error.code() == Code::SessionNotFound => Vec::new(),
        Err(error) => panic!("{error}"),
    }
}

impl Trial {
    async fn new(case: Case) -> Self {
        let start = SimDisk::new();
        let rig = opened(&start, 10);
        let first = rig.start(&workflow(&[step("one"), strict_step("two"), step("three")])).await;
        let asked = rig.notes(&first, "One.").await;
        // Making room for the first blob of a kind takes hundreds of calls; the store tests those.
        rig.blobs.put(BlobNamespace::Artifacts, b"{}".to_vec()).await.expect("there is room");
        let disk = start.fork();
        let rig = open(&disk);
        disk.set_fault(None);
        let answer = (case.call)(&rig, &asked).await.expect("nothing goes wrong");
        let calls = disk.calls();
        let said: serde_json::Value = serde_json::from_str(&answer).expect("it is JSON");
        let session = said["run"]["sessionId"].as_str().expect("it names its session");
        let session = session.parse().expect("it is an id");
        let old = events(&open(&start), session).await;
        let new = events(&rig, session).await;
        assert!(new.len() > old.len());
        Self { case, start, asked, session, old, new, answer, calls }
    }

    /// Makes the call with one fault, and then again in every way.
    async fn with(&self, fault: DiskFault, cuts: u64, seed: u64, tally: &mut Tally) {
        let disk = self.start.fork();
        let rig = open(&disk);
        disk.set_fault(Some(fault));
        let first = (self.case.call)(&rig, &self.asked).await;
        let story = format!("{}: {:?} at call {}", self.case.name, fault.kind, fault.at);
        if let Ok(answer) = &first {
            assert_eq!(*answer, self.answer, "{story}");
            tally.answered += 1;
        }
        for (sector, cut) in
            [512, 4096].into_iter().flat_map(|at| (0..cuts).map(move |cut| (at, cut)))
        {
            let luck = seed.wrapping_add(cut * 7_919 + fault.at);
            let story = format!("{story}, then a cut {luck} at {sector}");
            let disk = disk.after_power_cut(luck, sector);
            self.recover(&disk, &open(&disk), first.is_ok(), true, tally, &story).await;
        }
        if fault.kind != FaultKind::Crash {
            disk.set_fault(None);
            let is_exact = self.case.is_derived;
            self.recover(&disk, &rig, first.is_ok(), is_exact, tally, &story).await;
        }
    }

    async fn recover(
        &self,
        disk: &SimDisk,
        rig: &Rig,
        answered: bool,
        is_exact: bool,
        tally: &mut Tally,
        story: &str,
    ) {
        tally.trials += 1;
        let found = events(&open(disk), self.session).await;
        let is_new = found.len() == self.new.len();
        assert!(if is_new { found == self.new } else { found == self.old }, "{story}: {found:?}");
        assert!(is_new || !answered, "{story}: what was answered is gone");
        tally.kept_new += u64::from(is_new);
        tally.kept_old += u64::from(!is_new);
        let mut again = (self.case.call)(rig, &self.asked).await;
        if again.as_ref().is_err_and(|error| error.code() == Code::SessionPoisoned) {
            tally.poisoned += 1;
            let verified = rig.journal.verify(&self.session.into()).await.expect("it can be read");
            assert!(verified.mark_lifted && verified.health.is_healthy(), "{story}: {verified:?}");
            again = (self.case.call)(rig, &self.asked).await;
        }
        let again = again.unwrap_or_else(|error| panic!("{story}: {error}"));
        assert!(again == self.answer || !(is_exact || is_new), "{story}: {again}");
        // It was answered, so nothing of it may depend on what was not synced.
        let rig = open(&disk.after_losing_all());
        let events = events(&rig, self.session).await;
        assert_eq!(validate(&events), Ok(()), "{story}");
        assert_eq!(events.len(), self.new.len(), "{story}");
        let third = (self.case.call)(&rig, &self.asked).await;
        assert_eq!(third.expect("it is recorded"), again, "{story}");
    }
}

pub(super) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

mod long {
    use super::*;

    // shows: WR-062, WR-081, WR-083, WR-247
    #[test]
    fn a_call_that_fails_anywhere_can_be_made_again_and_is_answered_as_if_it_had_not() {
        let run = LongRun::start("workflow: kills");
        println!("{run}");
        let (cuts, stride) = (LongRun::size(1, 40), usize::try_from(LongRun::size(3, 1)).unwrap());
        let mut tally = Tally::default();
        let runtime = runtime();
        for case in CASES {
            let trial = runtime.block_on(Trial::new(case));
            println!("{}: {} calls", case.name, trial.calls);
            let first = usize::try_from(run.seed() % 1_000).unwrap() % stride;
            for kind in FaultKind::ALL {
                for at in (0..trial.calls).skip(first).step_by(stride) {
                    let fault = DiskFault { at, kind };
                    runtime.block_on(trial.with(fault, cuts, run.seed(), &mut tally));
                }
            }
        }
        println!("{tally:?}");
        let counts = [
            ("trials", tally.trials),
            ("answered", tally.answered),
            ("old state", tally.kept_old),
            ("new state", tally.kept_new),
            ("poisoned", tally.poisoned),
        ];
        assert!(counts.iter().all(|(_, count)| *count > 0), "{tally:?}");
        run.report(&counts);
    }
}
