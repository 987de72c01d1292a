//! A server that dies without warning under an agent that goes on.

use std::{
    iter::Sum,
    thread,
    time::{Duration, Instant},
};

use piton_core::port::fixed::SeededEntropy;
use serde_json::Value;

use crate::{
    agent::{Agent, structured},
    rig::Rig,
    tour::next_call,
};

/// How many agents are at work at the same time, each on a machine of its own.
const WORKERS: usize = 4;

/// What became of a run.
#[derive(Debug, Default)]
struct Tally {
    calls: u64,
    kills: u64,
    /// Calls whose reply was lost, though they had been recorded or not.
    lost: u64,
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |sum, tally| Self {
            calls: sum.calls + tally.calls,
            kills: sum.kills + tally.kills,
            lost: sum.lost + tally.lost,
        })
    }
}

/// Takes the tour to its end. Before a reply is read, the server may be killed, at any moment of the call.
fn tour(rig: &Rig, luck: &SeededEntropy, usual: Option<Duration>) -> Tally {
    let mut tally = Tally::default();
    let mut agent = Agent::start(rig);
    let mut answer: Option<Value> = None;
    while let Some((tool, arguments)) = next_call(answer.as_ref(), "T-1") {
        tally.calls += 1;
        assert!(tally.calls < 200, "the run comes to its end: {answer:?}");
        let began = Instant::now();
        agent.ask_tool(tool, &arguments);
        if let Some(usual) = usual
            && luck.next_u64().is_multiple_of(4)
        {
            let moment = usual * u32::try_from(luck.next_u64() % 120).unwrap() / 100;
            while began.elapsed() < moment {
                std::hint::spin_loop();
            }
            agent.child.kill().unwrap();
            agent.child.wait().unwrap();
            tally.kills += 1;
            // A reply that came in time may still be lost on its way to the model.
            let reply = agent.reply().filter(|_| luck.next_u64().is_multiple_of(2));
            tally.lost += u64::from(reply.is_none());
            answer = reply.as_ref().map(structured).or(answer);
            agent = Agent::start(rig);
        } else {
            let reply = structured(&agent.reply().expect("the server answers"));
            assert!(reply.get("code").is_none(), "{tool}: {reply}");
            answer = Some(reply);
        }
    }
    agent.leave();
    tally
}

/// Everything that is projected of the only run, without what names and dates it.
fn projections(rig: &Rig) -> (Value, Value) {
    let run = rig.newest();
    assert_eq!(rig.tells(&["session", "list"])["runs"].as_array().unwrap().len(), 1);
    assert_eq!(rig.tells(&["session", "verify", &run.session])["isSound"], true);
    let plain = |mut value: Value| {
        strip(&mut value);
        value
    };
    let shown = plain(rig.tells(&["session", "show", &run.session]));
    (shown, plain(rig.tells(&["session", "tree", &run.session])))
}

fn strip(value: &mut Value) {
    const OWN: [&str; 9] = [
        "sessionId",
        "runId",
        "nodeId",
        "parentId",
        "outputId",
        "tip",
        "label",
        "startedAt",
        "activeAt",
    ];
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !OWN.contains(&name.as_str()));
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

mod long {
    use piton_store::testing::LongRun;

    use super::*;

    // shows in part: WR-085 (the server of an agent), WR-247 (after the server was killed)
    #[test]
    fn a_server_that_is_killed_again_and_again_leaves_the_record_of_one_that_was_not() {
        let run = LongRun::start("mcp: servers killed under an agent that goes on");
        println!("{run}");
        let calm = Rig::new();
        let began = Instant::now();
        let undisturbed = tour(&calm, &SeededEntropy::new(run.seed()), None);
        let usual = began.elapsed() / u32::try_from(undisturbed.calls).unwrap();
        let (shown, tree) = projections(&calm);
        assert_eq!(shown["runs"][0]["summary"]["status"], "complete");
        let runs = LongRun::size(10, 100);
        let disturbed = |run_seed: u64| {
            let rig = Rig::new();
            let tally = tour(&rig, &SeededEntropy::new(run_seed), Some(usual));
            assert_eq!(projections(&rig), (shown.clone(), tree.clone()), "{run_seed}: {tally:?}");
            tally
        };
        let seeds = |worker| (worker..runs).step_by(WORKERS).map(|place| run.seed() + place);
        let work = |worker: u64| seeds(worker).map(disturbed).sum::<Tally>();
        let total = thread::scope(|scope| {
            let workers: Vec<_> =
                (0..WORKERS as u64).map(|worker| scope.spawn(move || work(worker))).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).sum::<Tally>()
        });
        let counts = [
            ("runs", runs),
            ("calls", total.calls),
            ("kills", total.kills),
            ("replies lost", total.lost),
        ];
        println!("{counts:?}");
        run.report(&counts);
        assert!(total.kills >= runs && total.lost > 0, "the servers were killed: {counts:?}");
    }
}
